/**
 * The history that the scheduler records of gangs: its events, what they amount to, and the list of jobs that they become.
 */
export { describeGang } from './describe-gang';
export {
  type GangProgress,
  HISTORY_FORMAT,
  type HistoryEvent,
  lineOf,
  LONGEST_LINE,
  readSegment,
  type RecordedGang,
  type Segment,
} from './events';
export { type History, isFlat, jobsAsCsv, jobsAsJsonLines, jobsOf, readHistory } from './read-history';
export { type EndedGang, Replay } from './replay';
export { segmentIn } from './segment-file';
