/**
 * Keeps the page current. On every change on the status stream it fetches the page again and replaces its sections.
 * Without a stream it polls the page and retries the stream. After the end it polls while something is still to come (a
 * refund in flight, the real fees).
 *
 * Text for a browser, without a build step. It writes no HTML: it moves nodes of the page that the server rendered. The
 * paths are relative, so that it works below a proxy's prefix.
 */
export const script = `(() => {
  "use strict"
  const main = document.querySelector("main[data-request]")
  const connection = document.getElementById("connection")
  if (main === null || connection === null) return
  const streamUrl = new URL("../intents/status/stream?requestId=" + main.dataset.request, location.href)
  let stream, timer, failures = 0, polls = 0, running = false, again = false

  const say = (text) => { if (connection.textContent !== text) connection.textContent = text }

  const take = (shown, fresh) => {
    if (shown.outerHTML === fresh.outerHTML) return
    for (const { name } of [...shown.attributes]) if (!fresh.hasAttribute(name)) shown.removeAttribute(name)
    for (const { name, value } of fresh.attributes) shown.setAttribute(name, value)
    const link = shown.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null
    shown.replaceChildren(...fresh.childNodes)
    if (link !== null) [...shown.querySelectorAll("a")].find((each) => each.getAttribute("href") === link)?.focus()
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
