/**
 * The process of a local Solana chain, which `npm start` runs (SolanaProcess.ts): the virtual machine is synchronous
 * and blocks its process for milliseconds at a time, which the services must not wait for.
 *
 *   node hosts/localnet/nodes/solana/node/main.ts --port N --jupiter-port N --state FILE --slot-time MS --genesis
 *   '{"name":…,"parties":{…}}'
 */
import { Effect, Schema } from "effect"
import { parseArgs } from "node:util"
import { genesis } from "../Genesis.ts"
import { GenesisArgument } from "../GenesisArgument.ts"
import * as Jupiter from "../jupiter/JupiterServer.ts"
import { runChain } from "../../ChainProgram.ts"
import { Solana } from "../Solana.ts"

const Arguments = Schema.Struct({
  port: Schema.NumberFromString,
  "jupiter-port": Schema.NumberFromString,
  state: Schema.String,
  "slot-time": Schema.NumberFromString,
  genesis: Schema.fromJsonString(GenesisArgument)
})

runChain(Effect.gen(function*() {
  const { values } = parseArgs({
    options: {
      port: { type: "string" },
      "jupiter-port": { type: "string" },
      state: { type: "string" },
      "slot-time": { type: "string" },
      genesis: { type: "string" }
    }
  })
  const { "jupiter-port": jupiterPort, "slot-time": slotTime, genesis: { name, parties }, port, state } = yield* Schema
    .decodeUnknownEffect(Arguments)(values)
  const { chain } = yield* Solana.start({ name, port, stateFile: state, slotTime, genesis: genesis(parties) })
  yield* Jupiter.start(chain, jupiterPort)
}))
