/**
 * Keeps the page current. On every change on the status stream it fetches the page again and replaces its sections.
 * Without a stream it polls the page and retries the stream. After the end it polls while something is still to come (a
 * refund in flight, the real fees). Its buttons copy the text before them.
 *
 * Text for a browser, without a build step. It writes no HTML: it moves nodes of the page that the server rendered. The
 * paths are relative, so that it works below a proxy's prefix.
 */
export const script = `(() => {
  "use strict"
  const main = document.querySelector("main[data-request]")
  const connection = document.getElementById("connection")
  const copied = document.getElementById("copied")
  if (main === null || connection === null || copied === null) return
  // The style shows buttons only where a script answers them.
  document.documentElement.classList.add("scripted")
  const streamUrl = new URL("../intents/status/stream?requestId=" + main.dataset.request, location.href)
  let stream, timer, failures = 0, polls = 0, running = false, again = false

  const say = (text) => { if (connection.textContent !== text) connection.textContent = text }

  // What a part that can have the focus is, in this page and in a newer one.
  const keyOf = (part) =>
    part.localName === "button"
      ? part.getAttribute("aria-label") + part.previousElementSibling?.textContent
      : part.getAttribute("href") ?? part.parentElement?.id ?? null

  // Where there is no clipboard (a page without TLS), the text is selected and copied as by hand.
  const copy = async (part) => {
    try {
      if (navigator.clipboard === undefined) {
        getSelection().selectAllChildren(part)
        if (!document.execCommand("copy")) throw new Error("no copy")
      } else await navigator.clipboard.writeText(part.textContent)
      return true
    } catch {
      getSelection().selectAllChildren(part)
      return false
    }
  }

  let forgetting
  main.addEventListener("click", async ({ target }) => {
    const button = target.closest(".copy")
    const part = button?.previousElementSibling
    if (!part) return
    const text = part.textContent
    const done = await copy(part)
    clearTimeout(forgetting)
    copied.textContent = done ? "Copied: " + text : "It could not be copied. It is selected."
    forgetting = setTimeout(() => { copied.textContent = "" }, 5000)
  })

  const take = (shown, fresh) => {
    if (shown.outerHTML === fresh.outerHTML) return
    for (const { name } of [...shown.attributes]) if (!fresh.hasAttribute(name)) shown.removeAttribute(name)
    for (const { name, value } of fresh.attributes) shown.setAttribute(name, value)
    // Replaced parts keep the focus and what the reader has opened.
    const focused = shown.contains(document.activeElement) ? keyOf(document.activeElement) : null
    const open = [...shown.querySelectorAll("details[open]")].map(({ id }) => id)
    shown.replaceChildren(...fresh.childNodes)
    for (const part of shown.querySelectorAll("details")) part.open = open.includes(part.id)
    if (focused !== null) [...shown.querySelectorAll("a, button, summary")].find((each) => keyOf(each) === focused)?.focus()
  }

  const show = (text) => {
    const read = new DOMParser().parseFromString(text, "text/html")
    const fresh = read.querySelector("main[data-request]")
    if (fresh === null) return
    document.title = read.title
    main.className = fresh.className
    main.dataset.live = fresh.dataset.live
    // The element that is read out stays, and only what is in it changes.
    for (const part of fresh.querySelectorAll("#state, section")) {
      const shown = document.getElementById(part.id)
      if (shown !== null) take(shown, part)
    }
  }

  const refresh = async () => {
    again = true
    if (running) return
    running = true
    while (again) {
      again = false
      try {
        const response = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-store" })
        if (!response.ok) throw new Error("no page")
        show(await response.text())
        failures = 0
      } catch {
        failures += 1
        break
      }
    }
    running = false
    goOn()
  }

  const later = (milliseconds) => {
    clearTimeout(timer)
    timer = setTimeout(refresh, milliseconds)
  }

  const close = () => {
    if (stream !== undefined) stream.close()
    stream = undefined
  }

  const listen = () => {
    stream = new EventSource(streamUrl)
    stream.addEventListener("status", refresh)
    stream.addEventListener("error", () => {
      say("The connection was lost. Trying again …")
      if (stream !== undefined && stream.readyState === EventSource.CLOSED) {
        close()
        later(2000)
      }
    })
  }

  const goOn = () => {
    if (failures > 0) {
      say("The service does not answer now. Trying again …")
      return later(Math.min(15000, 1000 * 2 ** failures))
    }
    const live = main.dataset.live
    if (live === "stream") {
      say("Live: this page changes by itself.")
      if (typeof EventSource === "undefined") later(3000)
      else if (stream === undefined) listen()
      return
    }
    close()
    say("")
    polls += 1
    if (live === "poll" && polls < 180) later(polls < 10 ? 2000 : 10000)
  }

  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible" && main.dataset.live !== "none") refresh() })
  goOn()
})()`
