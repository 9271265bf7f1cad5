/**
 * Preloaded (`node --import`) before a program that must stay within its process: every module that it loads is noted,
 * and whatever would open a socket or start a process throws. At the end the modules are printed to stderr, one JSON
 * list.
 */
import { registerHooks, syncBuiltinESMExports } from "node:module"

const loaded: Array<string> = []

registerHooks({
  load: (url, context, nextLoad) => {
    loaded.push(url)
    return nextLoad(url, context)
  }
})

const forbid = (place: object, names: ReadonlyArray<string>): void => {
  for (const name of names) {
    Object.defineProperty(place, name, {
      value: () => {
        throw new Error(`${name} was called: the core opens nothing`)
      }
    })
  }
}

const net = process.getBuiltinModule("node:net")
const dgram = process.getBuiltinModule("node:dgram")
forbid(net.Socket.prototype, ["connect"])
forbid(net.Server.prototype, ["listen"])
forbid(dgram.Socket.prototype, ["bind", "connect", "send"])
forbid(process.getBuiltinModule("node:dns"), ["lookup", "resolve"])
forbid(process.getBuiltinModule("node:child_process"), ["spawn", "exec", "execFile", "fork"])
forbid(globalThis, ["fetch", "WebSocket"])
syncBuiltinESMExports()

process.on("exit", () => process.stderr.write(`${JSON.stringify(loaded)}\n`))
