/**
 * The ports of a run: each has a usual one, or the next free one when that is taken, by a run that starts at the same
 * time, too.
 *
 * A port that its variable sets is an error when it is taken or invalid: the user relies on it.
 */
import { Config, Effect, Option } from "effect"
import { isFree, take as takePort } from "../nodes/Port.ts"
import { LocalnetError } from "./LocalnetError.ts"

/** Usual port and variable of everything that listens. */
export const listeners = {
  transfer: { variable: "TRANSFER_PORT", usual: 3001 },
  oracle: { variable: "ORACLE_PORT", usual: 3000 },
  alpha: { variable: "ALPHA_PORT", usual: 8651 },
  beta: { variable: "BETA_PORT", usual: 8652 },
  hub: { variable: "HUB_PORT", usual: 8650 },
  solana: { variable: "SOLANA_PORT", usual: 8653 },
  jupiter: { variable: "JUPITER_PORT", usual: 8654 },
  bitcoin: { variable: "BITCOIN_PORT", usual: 8655 },
  tron: { variable: "TRON_PORT", usual: 8656 },
  exchangeA: { variable: "EXCHANGEA_PORT", usual: 8657 },
  exchangeB: { variable: "EXCHANGEB_PORT", usual: 8658 }
} as const
export type Listener = keyof typeof listeners
export type Ports = Readonly<Record<Listener, number>>

export const names: ReadonlyArray<Listener> = [
  "transfer",
  "oracle",
  "alpha",
  "beta",
  "hub",
  "solana",
  "jupiter",
  "bitcoin",
  "tron",
  "exchangeA",
  "exchangeB"
]

const reach = 500

const askedFor = (variable: string) =>
  Config.option(Config.Port(variable)).pipe(
    Effect.mapError((error) => new LocalnetError({ message: `${variable} is not a port: ${error.message}` }))
  )

/** Whether another listener usually has that port: a moved listener must not take it. */
const belongsToAnother = (port: number, usual: number) =>
  port !== usual && names.some((name) => listeners[name].usual === port)

const nextFree = Effect.fnUntraced(function*(variable: string, usual: number, chosen: ReadonlySet<number>) {
  for (let port = usual; port < usual + reach; port += 1) {
    if (!chosen.has(port) && !belongsToAnother(port, usual) && (yield* takePort(port))) return port
  }
  return yield* new LocalnetError({
    message: `no port from ${usual} to ${usual + reach - 1} is free: set ${variable} to one that is`
  })
})

/** Chooses a port for every listener. Configured ports come first, so that no other listener takes them. */
export const choose: Effect.Effect<Ports, LocalnetError> = Effect.gen(function*() {
  const chosen = new Set<number>()
  const asked: Partial<Record<Listener, number>> = {}
  for (const name of names) {
    const { variable } = listeners[name]
    const port = yield* askedFor(variable)
    if (Option.isNone(port)) continue
    if (chosen.has(port.value)) {
      return yield* new LocalnetError({ message: `${variable} asks for port ${port.value}, as another variable does` })
    }
    if (!(yield* isFree(port.value))) {
      return yield* new LocalnetError({
        message: `${variable} asks for port ${port.value}, which is taken: choose another, or leave ${variable} unset`
      })
    }
    chosen.add(port.value)
    asked[name] = port.value
  }
  const take = Effect.fnUntraced(function*(name: Listener) {
    const port = asked[name] ?? (yield* nextFree(listeners[name].variable, listeners[name].usual, chosen))
    chosen.add(port)
    return port
  })
  return {
    transfer: yield* take("transfer"),
    oracle: yield* take("oracle"),
    alpha: yield* take("alpha"),
    beta: yield* take("beta"),
    hub: yield* take("hub"),
    solana: yield* take("solana"),
    jupiter: yield* take("jupiter"),
    bitcoin: yield* take("bitcoin"),
    tron: yield* take("tron"),
    exchangeA: yield* take("exchangeA"),
    exchangeB: yield* take("exchangeB")
  }
})
