/** Menus, operated by mouse. */
const menuMs = 500;
const menuAttempts = 5;

/**
 * Clicks an entry of the open menu. A menu ignores clicks for a moment after it opened, so the click may be repeated.
 *
 * @param options `timeout` of one click in ms (default: the page's).
 */
export async function clickMenuItem(page, name, { timeout } = {}) {
  const item = page.locator('.monaco-menu').getByRole('menuitem', { name, exact: typeof name === 'string' });
  for (let attempt = 1; attempt <= menuAttempts; attempt++) {
    await item.click({ timeout });
    if (
      await item.waitFor({ state: 'hidden', timeout: menuMs }).then(
        () => true,
        () => false,
      )
    )
      return;
  }
  throw new Error(`The menu did not close after a click on "${name}".`);
}

/** Selects an entry of the window's menu, behind its button in the activity bar. */
export async function chooseFromWindowMenu(page, menu, item) {
  await page.locator('.menubar .menubar-menu-button').first().click();
  await page.locator('.monaco-menu').getByRole('menuitem', { name: menu, exact: true }).hover();
  await clickMenuItem(page, item);
}
