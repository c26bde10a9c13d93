/**
 * Where the page of a Docker runner begins: who looks, then what the runner sends, shown in place as it comes.
 */
import { type RunnerHistory, type RunnerView, type RunnerViewTask } from '../../runner-view';
import { el, refill } from '../dom';
import { ColorBook } from '../palette';
import { count, tell } from '../words';
import { devicePanel, useText } from './device-panel';
import { type PageState } from './page-state';
import { problemText, Service, SignedOut } from './service';
import { forgetToken, rememberedToken, rememberToken, signIn, tokenOfLink } from './sign-in';
import { openTaskDialog, type TaskDialog } from './task-dialog';
import { openTaskForm } from './task-form';
import { endedTasksPanel, openTasksPanel } from './task-panel';
import { tenantPanel } from './tenant-panel';

const HISTORY_EVERY = 30_000;
const LONGEST_PAUSE = 15_000;

class RunnerPage implements PageState {
  readonly book = new ColorBook();
  readonly opened = new Set<string>();
  readonly service: Service;
  view!: RunnerView;
  history: RunnerHistory | undefined;
  minutes = 360;
  private dialog: TaskDialog | undefined;
  private readonly heading = el('h1');
  private readonly lead = el('p', { class: 'lead' });
  private readonly notice = el('p', { class: 'lead notice bad', role: 'alert', hidden: true });
  private readonly tools = el('div', { class: 'tools actions' });
  private readonly devices = el('section', { class: 'card below', 'aria-labelledby': 'devices-title' });
  private readonly open = el('section', { class: 'card below', 'aria-labelledby': 'open-title' });
  private readonly tenants = el('section', { class: 'card below', 'aria-labelledby': 'tenants-title' });
  private readonly ended = el('section', { class: 'card below', 'aria-labelledby': 'ended-title' });
  private readonly end = new AbortController();

  constructor(
    private readonly root: HTMLElement,
    token: string,
    private readonly signedOut: (problem: string | undefined) => void,
  ) {
    this.service = new Service(token);
  }

  async run(): Promise<void> {
    const timer = setInterval(() => this.askHistory(), HISTORY_EVERY);
    this.end.signal.addEventListener('abort', () => clearInterval(timer));
    for (let pause = 500; !this.end.signal.aborted; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        await this.service.follow(this.end.signal, (view) => {
          pause = 500;
          this.show(view);
        });
        this.say('lost', 'connection lost, retrying');
      } catch (error) {
        if (this.end.signal.aborted) {
          return;
        }
        if (error instanceof SignedOut) {
          this.leave(error.message);
          return;
        }
        this.say('lost', 'connection lost, retrying');
        if (this.view === undefined) {
          this.root.replaceChildren(el('p', { class: 'lead' }, problemText(error)));
        }
      }
      await new Promise((done) => setTimeout(done, pause));
    }
  }

  setMinutes = (minutes: number): void => {
    this.minutes = minutes;
    this.askHistory();
    this.update();
  };

  openTask = (task: RunnerViewTask): void => {
    this.dialog = openTaskDialog(task, this, () => (this.dialog = undefined));
  };

  newTask = (): void => {
    openTaskForm(this.view, this.service, (id) => this.say('live', `task ${id} is queued`));
  };

  act = (work: () => Promise<void>): void => {
    this.notice.hidden = true;
    work().catch((error: unknown) => {
      this.notice.textContent = problemText(error);
      this.notice.hidden = false;
    });
  };

  update = (): void => {
    const { view } = this;
    devicePanel(this.devices, this);
    openTasksPanel(this.open, this);
    tenantPanel(this.tenants, this);
    endedTasksPanel(this.ended, this);
    this.dialog?.show(view);
    this.root.dataset.drawn = '';
  };

  private show(view: RunnerView): void {
    if (this.view === undefined) {
      this.root.replaceChildren(
        this.heading,
        this.lead,
        this.notice,
        this.tools,
        this.devices,
        this.open,
        this.tenants,
        this.ended,
      );
      this.fillTools();
      this.askHistory();
    }
    this.view = view;
    this.book.admit(view.tenants.map(({ name }) => `tenant ${name}`));
    document.title = `${view.host.name} (Docker runner)`;
    this.heading.replaceChildren(...verdictOf(view));
    this.lead.textContent = leadOf(view);
    this.say('live', `live, ${new Date().toLocaleTimeString()}`);
    this.update();
  }

  private fillTools(): void {
    refill(
      this.tools,
      el(
        'button',
        { class: 'primary', type: 'button', 'data-key': 'new task', click: () => this.newTask() },
        'New task',
      ),
      el(
        'button',
        { class: 'quiet', type: 'button', 'data-key': 'sign out', click: () => this.leave(undefined) },
        'Sign out',
      ),
    );
  }

  private askHistory(): void {
    const { minutes } = this;
    void this.service
      .history(minutes)
      .then((history) => {
        if (minutes === this.minutes) {
          this.history = history;
          this.update();
        }
      })
      // The stream of views says what is wrong.
      .catch(() => undefined);
  }

  private leave(problem: string | undefined): void {
    this.end.abort();
    forgetToken();
    document.querySelectorAll('dialog').forEach((dialog) => dialog.close());
    this.say('waiting', 'signed out');
    delete this.root.dataset.drawn;
    this.signedOut(problem);
  }

  private say(state: 'live' | 'lost' | 'waiting', text: string): void {
    const status = document.getElementById('live');
    if (status !== null) {
      status.dataset.state = state;
      status.textContent = text;
    }
  }
}

function verdictOf(view: RunnerView): readonly (HTMLElement | string)[] {
  const { active, queued } = view.counts;
  const good = [useText(view), active === 0 ? '' : `${count(active, 'task')} ${active === 1 ? 'runs' : 'run'}`];
  const text = good.filter((part) => part !== '').join(', ');
  if (queued === 0) {
    return [text === '' ? 'No task runs or waits' : `${text}, none waits`];
  }
  return [text === '' ? '' : `${text}, `, `${tell(queued)} ${queued === 1 ? 'waits' : 'wait'}`];
}

function leadOf({ host, tenant }: RunnerView): string {
  const engine = host.isConnected ? host.engine : `${host.engine} does not answer`;
  const facts = [
    host.name,
    `${tell(host.cpus)} CPUs`,
    `${tell(Math.floor(host.memoryBytes / 2 ** 30))} GiB`,
    engine,
    tenant === undefined ? 'you are an administrator' : `you are tenant ${tenant}`,
  ];
  return `${facts.join(' · ')}${host.problem === undefined ? '' : `. Problem: ${host.problem}`}`;
}

const root = document.getElementById('view')!;

function ask(problem: string | undefined): void {
  signIn(root, problem, (token) => begin(token));
}

function begin(token: string): void {
  rememberToken(token);
  root.replaceChildren();
  void new RunnerPage(root, token, ask).run();
}

void (async () => {
  const linked = location.hash.startsWith('#code=');
  const token = (await tokenOfLink().catch(() => undefined)) ?? rememberedToken();
  if (token === undefined) {
    ask(linked ? 'This link was used before. "gantry docker page" prints a new one for each tab.' : undefined);
  } else {
    begin(token);
  }
})();
