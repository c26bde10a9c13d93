/**
 * Who looks: a token that the user enters, or the one-time code of the link that `gantry docker page` prints. The code is in the fragment of the address, which
 * no browser sends, and is taken out of it at once.
 */
import { el } from '../dom';

const KEY = 'gantry-docker-token';

export function rememberedToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function rememberToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}

/** The token for the code of the address. `undefined` if there is no code, or it was used before. */
export async function tokenOfLink(): Promise<string | undefined> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) {
    return undefined;
  }
  history.replaceState(null, '', location.pathname);
  const response = await fetch('page/token', {
    method: 'POST',
    body: JSON.stringify({ code }),
    headers: { 'Content-Type': 'application/json' },
    credentials: 'omit',
    cache: 'no-store',
  });
  return response.ok ? ((await response.json()) as { token: string }).token : undefined;
}

/** @param problem why the page asks, where it asks again */
export function signIn(root: HTMLElement, problem: string | undefined, signedIn: (token: string) => void): void {
  const token = el('input', { type: 'password', name: 'token', autocomplete: 'current-password', required: true });
  const form = el(
    'form',
    { class: 'form sign-in card' },
    el('h1', {}, 'Sign in'),
    el(
      'p',
      { class: 'lead' },
      'Enter the token that an administrator of the runner gave you. On the host itself, "gantry docker page" prints a link that signs you in.',
    ),
    el('label', {}, el('span', {}, 'Token'), token),
    problem !== undefined && el('p', { class: 'bad', role: 'alert' }, problem),
    el('p', { class: 'dialog-actions' }, el('button', { class: 'primary', type: 'submit' }, 'Sign in')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (token.value.trim() !== '') {
      signedIn(token.value.trim());
    }
  });
  root.replaceChildren(form);
  token.focus();
}
