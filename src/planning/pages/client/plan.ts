/**
 * Where the page of a cluster begins: shows the view that the page carries, or the ones that a server sends, and goes on as they come.
 */
import { type LiveView } from '../live-view';
import { el } from './dom';
import { renderView } from './plan-view';

const root = document.getElementById('view');
const carried = document.getElementById('data');
if (root !== null && carried !== null) {
  renderView(root, JSON.parse(carried.textContent ?? '') as LiveView);
}

const events = root?.dataset.events;
if (root !== null && events !== undefined) {
  follow(root, events);
}

/**
 * The browser itself tries again when the connection is lost. Where the server has nothing to show, an event `waiting` says why, and what
 * is on the page stays as it was.
 */
function follow(element: HTMLElement, address: string): void {
  const source = new EventSource(address);
  const status = document.getElementById('live');
  const notice = el('p', { class: 'lead notice', role: 'status', hidden: true });
  element.before(notice);
  const say = (state: 'live' | 'lost' | 'waiting', text: string): void => {
    if (status === null) {
      return;
    }
    status.dataset.state = state;
    status.textContent = text;
  };
  source.onmessage = (event: MessageEvent<string>) => {
    renderView(element, JSON.parse(event.data) as LiveView);
    notice.hidden = true;
    say('live', `live, ${new Date().toLocaleTimeString()}`);
  };
  source.addEventListener('waiting', ({ data }: MessageEvent<string>) => {
    notice.textContent = JSON.parse(data) as string;
    notice.hidden = false;
    say('waiting', 'waiting');
  });
  source.onerror = () =>
    say(
      'lost',
      source.readyState === EventSource.CLOSED ? 'not authorized: reload the page' : 'connection lost, retrying',
    );
}
