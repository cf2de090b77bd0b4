import type { Browser, BrowserContext, Locator, Page } from "playwright-core";

type Role = Parameters<Page["getByRole"]>[0];

/** More presses than any page has controls. */
const mostPresses = 200;
const mostClicks = 3;

/**
 * Somebody who uses the pages with the keyboard alone, from the overview on. Following a link or pressing a button is a click; writing and
 * choosing in a form is not.
 */
export class KeyboardVisit {
  readonly page: Page;
  /** Console messages, which also tell violations of the content security policy, and errors. */
  readonly problems: string[] = [];
  readonly #context: BrowserContext;
  readonly #clicks: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    page.on("console", (message) => this.problems.push(message.text()));
    page.on("pageerror", ({ message }) => this.problems.push(message));
  }

  /** @param cookies as a request sends them */
  static async open(browser: Browser, url: string, cookies: string): Promise<KeyboardVisit> {
    const context = await browser.newContext();
    const [name = "", value = ""] = cookies.split("=");
    await context.addCookies([{ name, value, url }]);
    const visit = new KeyboardVisit(context, await context.newPage());
    await visit.page.goto(url);
    return visit;
  }

  /** Follows a link, or presses a button that sends a form. Default: the first one on the page. */
  async press(role: "link" | "button", name: string | RegExp, within?: Locator): Promise<void> {
    this.#clicks.push(String(name));
    if (this.#clicks.length > mostClicks) throw new Error(`too many clicks: ${this.#clicks.join(", ")}`);
    await this.#focus(this.#find(role, name, within));
    const loaded = this.page.waitForEvent("load");
    await this.page.keyboard.press("Enter");
    await loaded;
  }

  /** Selects a checkbox. */
  async tick(name: string): Promise<void> {
    await this.#focus(this.#find("checkbox", name));
    await this.page.keyboard.press("Space");
  }

  /** Writes into a field, whose earlier text is replaced. */
  async write(label: string | RegExp, text: string): Promise<void> {
    await this.#focus(this.page.getByLabel(label));
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.page.keyboard.type(text);
  }

  close(): Promise<void> {
    return this.#context.close();
  }

  #find(role: Role, name: string | RegExp, within: Page | Locator = this.page): Locator {
    return within.getByRole(role, { name, exact: typeof name === "string" }).first();
  }

  async #focus(target: Locator): Promise<void> {
    const focused = target.and(this.page.locator(":focus"));
    for (let presses = 0; presses < mostPresses; presses++) {
      if ((await focused.count()) > 0) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`no way to ${target} with the Tab key`);
  }
}
