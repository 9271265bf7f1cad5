/**
 * The process of a local Bitcoin chain, which `npm start` runs (BitcoinProcess.ts): consensus is synchronous, and must
 * not block the services.
 *
 *   node hosts/localnet/nodes/bitcoin/node/main.ts --port N --state FILE --block-time MS
 */
import { Effect, Schema } from "effect"
import { parseArgs } from "node:util"
import { Bitcoin } from "../Bitcoin.ts"
import { runChain } from "../../ChainProgram.ts"

const Arguments = Schema.Struct({
  port: Schema.NumberFromString,
  state: Schema.String,
  "block-time": Schema.NumberFromString
})

runChain(Effect.gen(function*() {
  const { values } = parseArgs({
    options: { port: { type: "string" }, state: { type: "string" }, "block-time": { type: "string" } }
  })
  const { "block-time": blockTime, port, state } = yield* Schema.decodeUnknownEffect(Arguments)(values)
  yield* Bitcoin.start({ port, stateFile: state, blockTime })
}))
