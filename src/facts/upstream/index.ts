export {
  cite,
  citeCode,
  KUBERNETES_RELEASES,
  stagingVersion,
  type Upstream,
  UPSTREAM,
  type UpstreamRelease,
  versionOf,
} from './releases';
