/**
 * The process of a local Tron chain, which `npm start` runs (TronProcess.ts): tronweb's protobuf is large, and the
 * services must not load it.
 *
 *   node hosts/localnet/nodes/tron/node/main.ts --port N --state FILE --block-time MS --parties
 *   '{"faucet":…,"solver":…,"allocator":…,"accounts":[…]}'
 */
import { Effect, Schema } from "effect"
import { parseArgs } from "node:util"
import { genesis } from "../Genesis.ts"
import { runChain } from "../../ChainProgram.ts"
import { Tron } from "../Tron.ts"

const EvmAddress = Schema.TemplateLiteral(["0x", Schema.String]).check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/))

const Arguments = Schema.Struct({
  port: Schema.NumberFromString,
  state: Schema.String,
  "block-time": Schema.NumberFromString,
  parties: Schema.fromJsonString(
    Schema.Struct({ faucet: EvmAddress, solver: EvmAddress, allocator: EvmAddress, accounts: Schema.Array(EvmAddress) })
  )
})

runChain(Effect.gen(function*() {
  const { values } = parseArgs({
    options: {
      port: { type: "string" },
      state: { type: "string" },
      "block-time": { type: "string" },
      parties: { type: "string" }
    }
  })
  const { "block-time": blockTime, parties, port, state } = yield* Schema.decodeUnknownEffect(Arguments)(values)
  yield* Tron.start({ port, stateFile: state, blockTime, genesis: genesis(parties) })
}))
