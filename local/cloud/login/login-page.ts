/** The pages of the emulated managed login. Each has one form. Only the page that ends a session has a script. */

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #16191f; background: #f2f3f3; }
  main { max-width: 22rem; margin: 10vh auto; padding: 2rem; background: #fff; border: 1px solid #d1d5db; border-radius: 12px; }
  h1 { font-size: 1.25rem; }
  label { display: block; font-weight: 600; margin-top: .75rem; }
  input, button { width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; border: 1px solid #7d8998; border-radius: 6px; }
  button { margin-top: 1.25rem; font-weight: 600; color: #fff; background: #0a5fb4; }
  [role=alert] { color: #a60e0e; font-weight: 600; }
`;

const page = (title: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>
`;

/** @param problem the error of the previous login */
export const loginPage = (service: string, uid: string, email: string, problem?: string): string =>
  page(
    `Log in to ${escapeHtml(service)}`,
    `<p>This machine’s stand-in for the login of your deployment.</p>${alert(problem)}
<form method="post" action="/interaction/${encodeURIComponent(uid)}">
<label for="email">Email</label><input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(email)}">
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Log in</button></form>`,
  );

/** @param form of the provider, which ends the session when it is sent */
export const logoutPage = (form: string): string =>
  page(
    'Logging out',
    `${form}<script>
const form = document.forms[0];
form.insertAdjacentHTML('beforeend', '<input type="hidden" name="logout" value="yes">');
form.submit();
</script>`,
  );

export const problemPage = (problem: string): string => page('The login failed', alert(problem));

const alert = (problem: string | undefined): string =>
  problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`;

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
