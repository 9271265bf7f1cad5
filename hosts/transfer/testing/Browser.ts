/**
 * A headless Chromium, driven over its own protocol: what a browser makes of a page, and the errors that it reports.
 *
 * Uses Debian's program and Node's WebSocket, so there is no driver to install. It resolves only names of this machine,
 * so a page cannot load anything from outside.
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

type Json = Readonly<Record<string, unknown>>

interface Message {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly params?: Json
  readonly result?: Json
  readonly error?: { readonly message: string }
}

export interface Viewport {
  readonly width: number
  readonly height: number
  readonly scheme: "light" | "dark"
  readonly mobile: boolean
}

export const phone: Viewport = { width: 360, height: 740, scheme: "light", mobile: true }
export const desktop: Viewport = { width: 1200, height: 900, scheme: "light", mobile: false }

/** The keys of a keyboard that the suites press, as the protocol names them. */
const keys = {
  Tab: { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 },
  Enter: { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  Escape: { key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 },
  Space: { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " },
  ArrowDown: { key: "ArrowDown", code: "ArrowDown", windowsVirtualKeyCode: 40 }
} as const

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-chromium-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }))
)

const flags = [
  "--headless=new",
  "--remote-debugging-port=0",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-extensions",
  "--mute-audio",
  "--hide-scrollbars",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
]

/** The process and the address of its protocol. It ends with the scope, and so do its children. */
const launch = Effect.fnUntraced(function*(program: string) {
  const folder = yield* temporaryFolder
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(program, [...flags, `--user-data-dir=${folder}`, "about:blank"], {
        stdio: ["ignore", "ignore", "pipe"],
        detached: true
      })
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        process.kill(-child.pid, "SIGKILL")
      })
  )
  return yield* Effect.callback<string>((resume) => {
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      const [, address] = /DevTools listening on (ws:\S+)/.exec(said) ?? []
      if (address !== undefined) resume(Effect.succeed(address))
    })
    child.once("error", (error) => resume(Effect.die(error)))
    child.once("exit", (code) => resume(Effect.die(new Error(`chromium ended with ${code}:\n${said}`))))
  })
})

const connect = (address: string) =>
  Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const socket = new WebSocket(address)
      socket.addEventListener("open", () => resume(Effect.succeed(socket)), { once: true })
      socket.addEventListener("error", () => resume(Effect.die(new Error("chromium does not answer"))), { once: true })
    }),
    (socket) => Effect.sync(() => socket.close())
  )

/** What a tab was asked to load, and its errors: of scripts, of the policy, of loading. */
interface Heard {
  readonly requests: Array<string>
  readonly complaints: Array<string>
}

const hear = (heard: Heard, { method, params = {} }: Message): void => {
  const text = JSON.stringify(params)
  if (method === "Network.requestWillBeSent") heard.requests.push(String((params["request"] as Json)["url"]))
  if (method === "Runtime.exceptionThrown" || method === "Audits.issueAdded") heard.complaints.push(text)
  if (method === "Runtime.consoleAPICalled" && (params["type"] === "error" || params["type"] === "warning")) {
    heard.complaints.push(text)
  }
  if (method === "Log.entryAdded" && (params["entry"] as Json)["level"] === "error") heard.complaints.push(text)
}

export const startBrowser = Effect.fnUntraced(function*(program: string) {
  const socket = yield* Effect.flatMap(launch(program), connect)
  const waiting = new Map<number, (message: Message) => void>()
  const tabs = new Map<string, Heard>()
  let count = 0
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message
    if (message.id !== undefined) waiting.get(message.id)?.(message)
    else {
      const heard = tabs.get(message.sessionId ?? "")
      if (heard !== undefined) hear(heard, message)
    }
  })
  const send = (method: string, params: Json = {}, sessionId?: string) =>
    Effect.callback<Json>((resume) => {
      const id = count += 1
      waiting.set(id, ({ error, result = {} }) => {
        waiting.delete(id)
        resume(error === undefined ? Effect.succeed(result) : Effect.die(new Error(`${method}: ${error.message}`)))
      })
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    })

  /** A tab at an address. */
  const open = Effect.fnUntraced(
    function*(
      url: string,
      viewport: Viewport,
      { before, script = true }: {
        readonly script?: boolean
        /** Run in every document before its own scripts. */
        readonly before?: string
      } = {}
    ) {
      const { targetId } = yield* send("Target.createTarget", { url: "about:blank" })
      const { sessionId } = yield* send("Target.attachToTarget", { targetId, flatten: true })
      const session = String(sessionId)
      const heard: Heard = { requests: [], complaints: [] }
      tabs.set(session, heard)
      const ask = (method: string, params: Json = {}) => send(method, params, session)
      const evaluate = Effect.fnUntraced(function*(expression: string) {
        const { exceptionDetails, result } = yield* ask("Runtime.evaluate", {
          expression,
          awaitPromise: true,
          returnByValue: true
        })
        if (exceptionDetails !== undefined) {
          return yield* Effect.die(new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`))
        }
        return (result as Json)["value"]
      })
      const resize = Effect.fnUntraced(function*({ height, mobile, scheme, width }: Viewport) {
        yield* ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile })
        yield* ask("Emulation.setEmulatedMedia", {
          features: [{ name: "prefers-color-scheme", value: scheme }, {
            name: "prefers-reduced-motion",
            value: "reduce"
          }]
        })
      })
      /**
       * Waits until an expression is true in the page, at most three minutes. While a page is being left it has no
       * value.
       */
      const until = Effect.fnUntraced(function*(expression: string) {
        for (let tries = 0; tries < 3_600; tries += 1) {
          if ((yield* evaluate(`Boolean(${expression})`)) === true) return
          yield* Effect.sleep(50)
        }
        return yield* Effect.die(
          new Error(`never in the page: ${expression}\n${String(yield* evaluate("document.body.innerText"))}`)
        )
      })
      yield* Effect.forEach(
        ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable", "Audits.enable"],
        (method) => ask(method),
        { discard: true }
      )
      yield* resize(viewport)
      if (!script) yield* ask("Emulation.setScriptExecutionDisabled", { value: true })
      if (before !== undefined) yield* ask("Page.addScriptToEvaluateOnNewDocument", { source: before })
      yield* ask("Page.navigate", { url })
      yield* until("location.href !== 'about:blank' && document.readyState === 'complete'")
      return {
        heard,
        evaluate,
        resize,
        until,
        /** Presses a key as a keyboard does. */
        press: Effect.fnUntraced(function*(name: keyof typeof keys) {
          yield* ask("Input.dispatchKeyEvent", { type: "keyDown", ...keys[name] })
          yield* ask("Input.dispatchKeyEvent", { type: "keyUp", ...keys[name] })
        }),
        /** Types a text into what has the focus. */
        type: (text: string) => Effect.asVoid(ask("Input.insertText", { text })),
        /** The cookies that the browser has for the page, also those that no script may read. */
        cookies: Effect.map(ask("Network.getCookies"), ({ cookies }) => cookies),
        /** A picture of the whole page, as a PNG file. */
        picture: Effect.fnUntraced(function*(path: string) {
          const { data } = yield* ask("Page.captureScreenshot", { captureBeyondViewport: true })
          yield* Effect.sync(() => writeFileSync(path, Buffer.from(String(data), "base64")))
        }),
        close: Effect.asVoid(send("Target.closeTarget", { targetId }))
      }
    }
  )
  return { open }
})
export type Browser = Effect.Success<ReturnType<typeof startBrowser>>
export type Tab = Effect.Success<ReturnType<Browser["open"]>>
