export {
  cite,
  citeCode,
  KUBERNETES_RELEASES,
  stagingVersion,
  titleOf,
  type Upstream,
  UPSTREAM,
  type UpstreamRelease,
  versionOf,
} from './releases';
