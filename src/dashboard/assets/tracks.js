/** While a pull request is hovered or focused, marks what it is tested on top of, and the tests that its cancellation restarts. */
let chosen = null;

function mark() {
  const car = chosen === null ? null : document.querySelector(`.car[data-car="${chosen}"]`);
  const numbersIn = (text) => new Set((text ?? "").split(" "));
  const ahead = numbersIn(car?.dataset.ahead);
  const restarts = numbersIn(car?.dataset.restarts);
  for (const element of document.querySelectorAll("[data-car]")) {
    const pr = element.dataset.car;
    const role = pr === chosen ? "chosen" : ahead.has(pr) ? "ahead" : restarts.has(pr) ? "restarts" : null;
    if (role === null) delete element.dataset.chain;
    else element.dataset.chain = role;
  }
}

function choose({ target }) {
  const found = target.closest?.('[data-car], tr[id^="pr-"]');
  const pr = found?.dataset.car ?? found?.id.slice("pr-".length) ?? null;
  if (pr === chosen) return;
  chosen = pr;
  mark();
}

document.addEventListener("pointerover", choose);
document.addEventListener("focusin", choose);
// An update of the page removes the marks.
document.addEventListener("htmx:after:swap", mark);

/** While the pointer moves on something that can be clicked, live updates wait: they could put something else there. */
const restMs = 1000;
let movedAt = Number.NEGATIVE_INFINITY;

document.addEventListener("pointermove", () => {
  movedAt = performance.now();
});
document.addEventListener("htmx:before:swap", (event) => {
  const isMoving = performance.now() - movedAt < restMs;
  const isLive = event.detail.ctx.sourceElement.hasAttribute("hx-sse:connect");
  if (!isMoving || !isLive || document.querySelector("main :is(a, button, input, select):hover") === null)
    return;
  event.preventDefault();
  const { ctx } = event.detail;
  setTimeout(() => ctx.sourceElement.isConnected && htmx.swap(ctx), restMs);
});
