/**
 * What the parts of the page share: what is shown, and what they can ask for.
 */
import { type RunnerHistory, type RunnerView, type RunnerViewTask } from '../../runner-view';
import { type ColorBook } from '../palette';
import { type Service } from './service';

export interface PageState {
  readonly service: Service;
  readonly book: ColorBook;
  /** Lists that were opened in full, by name. */
  readonly opened: Set<string>;
  readonly view: RunnerView;
  readonly history: RunnerHistory | undefined;
  /** How far back the history goes. */
  readonly minutes: number;
  readonly setMinutes: (minutes: number) => void;
  readonly openTask: (task: RunnerViewTask) => void;
  readonly newTask: () => void;
  /** Carries out what the user asked for, and shows what the runner refuses. */
  readonly act: (work: () => Promise<void>) => void;
  readonly update: () => void;
}
