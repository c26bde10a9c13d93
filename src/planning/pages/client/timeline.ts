/**
 * Where the page of a simulation begins.
 */
import { type SimulationResult } from '../../simulation/result';
import { renderTimeline } from './timeline-view';

const root = document.getElementById('view');
const carried = document.getElementById('data');
if (root !== null && carried !== null) {
  renderTimeline(root, JSON.parse(carried.textContent ?? '') as SimulationResult);
}
