"use strict";
// What a script adds to pages that can be read without one: search, filters, keys, whole prompts, local times.
// It never makes markup of text.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, text, properties = {}) =>
    Object.assign(document.createElement(name), { textContent: text ?? "" }, properties);

  for (const time of all("time")) {
    const date = new Date(time.dateTime);
    time.title = time.textContent;
    time.textContent = date.toLocaleString();
  }

  const nav = document.querySelector("nav");
  const search = document.querySelector("nav input");
  const output = document.querySelector("nav output");
  if (!nav) return;
  nav.hidden = false;

  const isRun = document.body.classList.contains("run");
  const items = isRun ? all(".tree li") : all("tbody tr");
  // The text of each, without that of the nodes inside it; read when something is searched for the first time.
  const texts = new Map();
  const textOf = (item) => {
    if (!texts.has(item)) {
      const own = isRun ? item.firstElementChild : item;
      texts.set(item, own.textContent.toLowerCase());
    }
    return texts.get(item);
  };
  const filters = isRun
    ? {
        all: () => true,
        failed: (item) => item.classList.contains("error"),
        "model calls": (item) => item.classList.contains("chat"),
        tools: (item) => item.classList.contains("tool"),
      }
    : { all: () => true, failed: (item) => item.classList.contains("error") };
  let filter = "all";
  let hits = [];

  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = filters[filter];
    const isAll = filter === "all" && words.length === 0;
    hits = isAll ? [] : items.filter((item) => wanted(item) && words.every((word) => textOf(item).includes(word)));
    const shown = new Set(hits);
    for (const hit of hits) {
      for (let item = hit.parentElement.closest("li"); item && !shown.has(item); item = item.parentElement.closest("li"))
        shown.add(item);
    }
    document.querySelector(".tree, table").classList.toggle("filtered", !isAll);
    const hit = new Set(hits);
    for (const item of items) {
      item.classList.toggle("off", !isAll && !shown.has(item));
      item.classList.toggle("hit", hit.has(item));
    }
    output.textContent = isAll ? "" : `${hits.length.toLocaleString()} of ${items.length.toLocaleString()}`;
  };
  let later = 0;
  search.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(show, 80);
  });
  const chips = document.querySelector(".chips");
  for (const name of Object.keys(filters)) {
    const chip = make("button", name, { type: "button", ariaPressed: String(name === filter) });
    chip.addEventListener("click", () => {
      filter = name;
      for (const each of all("button", chips)) each.ariaPressed = String(each === chip);
      show();
    });
    chips.append(chip);
  }

  // -- keys

  const rowOf = (item) => (isRun ? item.querySelector(":scope > .row, :scope > details > .row") : item.querySelector("a"));
  const isSeen = (item) => !item.closest(".off") && !item.parentElement.closest(".folded");
  const current = () => {
    const focused = document.activeElement?.closest(isRun ? "li" : "tr");
    return focused ? items.indexOf(focused) : -1;
  };
  const go = (step, wanted = () => true) => {
    for (let at = current() + step; at >= 0 && at < items.length; at += step) {
      if (isSeen(items[at]) && wanted(items[at])) return reveal(items[at]);
    }
  };
  const reveal = (item) => {
    const row = rowOf(item);
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  };
  const fold = (item, isFolded) => item?.classList.contains("parent") && item.classList.toggle("folded", isFolded);
  const keys = {
    "/": ["search", () => search.focus()],
    j: ["next row", () => go(1)],
    k: ["row before", () => go(-1)],
    e: ["next failure", () => go(1, (item) => item.classList.contains("error"))],
    n: ["next that was found", () => go(1, (item) => item.classList.contains("hit"))],
    N: ["found before", () => go(-1, (item) => item.classList.contains("hit"))],
  };
  if (isRun) {
    keys.h = ["fold what is inside", () => fold(items[current()], true)];
    keys.l = ["unfold it", () => fold(items[current()], false)];
    keys.u = ["all runs", () => document.querySelector(".up a").click()];
  }
  const arrows = { ArrowDown: "j", ArrowUp: "k", ArrowLeft: "h", ArrowRight: "l" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search) {
      if (event.key === "Escape") {
        search.value = "";
        show();
        search.blur();
      } else if (event.key === "Enter") {
        clearTimeout(later);
        show();
        search.blur();
        if (hits.length) reveal(hits[0]);
      }
      return;
    }
    // An arrow moves between rows only where one has the focus; elsewhere it scrolls.
    const name = arrows[event.key] && current() >= 0 ? arrows[event.key] : event.key;
    if (name === "?") help();
    else if (keys[name]) keys[name][1]();
    else return;
    event.preventDefault();
  });
  const helper = document.querySelector("nav .help");
  const help = () => {
    const shown = document.querySelector(".keys");
    helper.ariaExpanded = String(!shown);
    if (shown) return shown.remove();
    const list = make("dl", "", { className: "keys" });
    const more = isRun ? { Enter: ["open or close a row"] } : {};
    for (const [key, [what]] of Object.entries({ ...keys, ...more, Esc: ["leave the search"], "?": ["these keys"] })) {
      const line = make("div");
      line.append(make("dt", key), make("dd", what));
      list.append(line);
    }
    nav.append(list);
  };
  helper.addEventListener("click", help);
  if (!isRun) return;

  document.querySelector(".tree").addEventListener("click", (event) => {
    const item = event.target.closest(".row small") && event.target.closest("li.parent");
    if (item) {
      item.classList.toggle("folded");
      event.preventDefault();
    }
  });

  // -- links to what is closed or folded

  const open = () => {
    const target = /^#[a-z]\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
      at.classList.remove("folded", "off");
    }
    const own = target.querySelector(":scope > details");
    if (own) own.open = true;
    target.scrollIntoView({ block: "start" });
  };
  addEventListener("hashchange", open);

  // -- whole prompts, put together out of what is new in each call

  let sent = null;
  const numbers = (text) => text.split(" ").filter(Boolean);
  const said = (number) => {
    sent ??= new Map(all(".sent").map((part) => [part.dataset.number, part.dataset]));
    const chain = [];
    for (let call = sent.get(number); call; call = sent.get(call.after)) chain.push(call);
    return chain.reduceRight((before, call) => [...before.slice(0, Number(call.kept)), ...numbers(call.new)], []);
  };
  const offer = (part) => {
    const button = make("button", "show all of them", { type: "button" });
    button.addEventListener("click", () => {
      const whole = make("div");
      for (const number of [...numbers(part.dataset.system), ...said(part.dataset.number)]) {
        const message = document.getElementById(`m${number}`);
        if (!message) continue;
        const copy = message.cloneNode(true);
        copy.removeAttribute("id");
        whole.append(copy);
      }
      part.replaceChildren(part.firstElementChild, whole);
    });
    part.querySelector(".kept").append(" ", button);
  };
  document.querySelector(".tree").addEventListener(
    "toggle",
    (event) => {
      for (const kept of all(":scope > .content > .sent > .kept", event.target))
        if (!kept.querySelector("button")) offer(kept.parentElement);
    },
    true,
  );
  open();
})();
