/** `causeway chains`: the chains that the service serves, with their currencies. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { answer } from "../Program.ts"
import { table } from "../Screen.ts"
import { asked, reader, Url } from "./Service.ts"
import { currenciesOf } from "./ServedChains.ts"
import type { ServedChain } from "./ServedChains.ts"

const stateOf = ({ depositEnabled, disabled }: ServedChain): string =>
  disabled ? "paused" : depositEnabled ? "served" : "destination only"

/** One chain a row. */
export const chainsText = (chains: ReadonlyArray<ServedChain>): string =>
  table([
    ["CHAIN", "ID", "FAMILY", "STATE", "CURRENCIES"],
    ...chains.map((chain) => [
      chain.slug,
      `${chain.id}`,
      chain.vmType,
      stateOf(chain),
      currenciesOf(chain).map(({ symbol }) => symbol).join(" ")
    ])
  ]).join("\n")

/** Needs nothing but the service. */
export const chains = Command.make(
  "chains",
  {},
  Effect.fnUntraced(function*() {
    const client = yield* reader
    const found = yield* asked((signal) => client.call("GET /chains", {}, { signal }))
    yield* answer(found, chainsText(found.chains))
  })
).pipe(
  Command.withDescription("Show the chains that the service serves, and their currencies"),
  Command.withGlobalFlags([Url])
)
