// Plays the past of a queue, and updates the page while the slider moves. Without this script, the page works as a form.
const stepsOfPlay = 120;
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
let isPlaying = false;
let timer;

const slider = () => document.querySelector("#at");
const button = () => document.querySelector("#play");

function describe(at) {
  const clock = new Date(Number(at)).toISOString().slice(0, 19);
  const text = `${clock.replace("T", " ")} UTC`;
  slider().setAttribute("aria-valuetext", text);
  document.querySelector("#axis output").textContent = text;
  document.querySelector("[type=datetime-local]").value = clock;
}

function play(isOn) {
  isPlaying = isOn;
  clearTimeout(timer);
  button().textContent = isOn ? "Pause" : "Play";
}

function step() {
  const { min, max, value } = slider();
  if (Number(value) >= Number(max)) return play(false);
  move(Math.min(Number(max), Number(value) + (Number(max) - Number(min)) / stepsOfPlay));
}

function move(at) {
  slider().value = at;
  slider().dispatchEvent(new Event("input", { bubbles: true }));
}

function refresh() {
  button().hidden = false;
  const { at } = document.querySelector("#moment").dataset;
  const isHeld = document.activeElement === slider();
  if (!isHeld) slider().value = at;
  describe(isHeld ? slider().value : at);
  for (const time of document.querySelectorAll("main time")) {
    const at = new Date(time.dateTime);
    time.title = `${at.toISOString().slice(0, 19).replace("T", " ")} UTC, here ${at.toLocaleString()}`;
  }
  play(isPlaying);
  // The next step follows when the page shows this one, so a slow service is not asked faster than it answers.
  if (isPlaying) timer = setTimeout(step, isCalm.matches ? 2000 : 400);
}

document.addEventListener("input", ({ target }) => target === slider() && describe(target.value));
document.addEventListener("click", ({ target }) => {
  if (target !== button()) return;
  play(!isPlaying);
  if (!isPlaying) return;
  if (Number(slider().value) >= Number(slider().max)) move(slider().min);
  else step();
});
document.addEventListener("htmx:after:swap", refresh);
document.addEventListener("htmx:error", () => play(false));
refresh();
