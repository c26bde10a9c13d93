/**
 * Where the page of a cluster begins: shows the view that the page carries, or the ones that a server sends, and goes on as they come.
 */
import { type LiveView } from '../live-view';
import { renderView } from './plan-view';

const root = document.getElementById('view');
const carried = document.getElementById('data');
if (root !== null && carried !== null) renderView(root, JSON.parse(carried.textContent ?? '') as LiveView);

const events = root?.dataset.events;
if (root !== null && events !== undefined) follow(root, events);

/** The browser itself tries again when the connection is lost. */
function follow(element: HTMLElement, address: string): void {
  const source = new EventSource(address);
  const status = document.getElementById('live');
  const say = (state: 'live' | 'lost', text: string): void => {
    if (status === null) return;
    status.dataset.state = state;
    status.textContent = text;
  };
  source.onmessage = (event: MessageEvent<string>) => {
    renderView(element, JSON.parse(event.data) as LiveView);
    say('live', `live, ${new Date().toLocaleTimeString()}`);
  };
  source.onerror = () => say('lost', 'connection lost, trying again');
}
