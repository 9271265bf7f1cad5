/**
 * A host that is killed around the sweep of a deposit address on Tron: before or after the solver's TRX have reached the
 * address. After the restart the money is deposited once, to the unit, and the doctor finds nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { keyOf } from "../../../localnet/nodes/tron/node/LocalKey.ts"
import { reader } from "../../testing/Client.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { runDoctor } from "../../testing/RunOperation.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { assertFilled, payTron, sweepsOf, tronAddressFor } from "../../testing/TronAddressed.ts"
import { fromTron } from "../../testing/TronClient.ts"
import { startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const ONE = 1_000_000n
const SOME = 100n * ONE

const newKey = () => keyOf(`0x${randomBytes(32).toString("hex")}`)

/**
 * Where the host dies, and what the chain does then. `funds`: a block has the solver's TRX, and not yet the sweep.
 * `expires`: the same, and so much time passes that the sweep can be in no block any more.
 */
const places = [
  [TRX, "Payments.signOnce sweep:after", "nothing"],
  [usdt, "Treasury.broadcast:after", "funds"],
  [usdt, "Payments.recordSent sweep:before", "funds"],
  [TRX, "Treasury.broadcast:after", "expires"]
] as const

type Network = Effect.Success<typeof startTronNetwork>

const pass = ({ tron }: Network, meanwhile: (typeof places)[number][2]) => {
  switch (meanwhile) {
    case "nothing":
      return Effect.void
    case "funds":
      return tron.mine()
    case "expires":
      return Effect.promise(async () => {
        await tron.chain.mine(1)
        tron.chain.wait(Date.now() + 11 * 60_000)
        await tron.chain.mine(21)
      })
  }
}

describe("a host that is killed around the sweep of a deposit address on Tron", () => {
  it.live("has swept and filled exactly once after the restart, in what was paid to the address", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startTronNetwork
      const { chains, environment, fresh, heldOnTron, startHost, tron, tronSolver, wallet } = network
      const mining = slowingBlocks(tron.mine(7))
      for (const [currency, place, meanwhile] of places) {
        const recipient = fresh()
        const killed = yield* startHost({ FAILPOINT: place })
        const { depositAddress, quoted } = yield* tronAddressFor(
          killed.url,
          fromTron({ key: newKey() }, recipient, [chains.alpha.chainId, NATIVE], [currency, SOME], {
            strict: true,
            refundTo: newKey().address
          })
        )
        yield* payTron(wallet, depositAddress, currency, SOME)
        const rich = yield* heldOnTron(TRX, tronSolver.address)
        yield* tron.mine()
        yield* tron.solidify
        assert.strictEqual(yield* killed.ended, "SIGKILL", place)
        tally("kills", 1)
        yield* pass(network, meanwhile)
        const funds = rich - (yield* heldOnTron(TRX, tronSolver.address))
        assert.strictEqual(funds > 0n, meanwhile !== "nothing", `${place}: ${funds}`)
        assert.isEmpty(sweepsOf(tron, depositAddress), place)
        const host = yield* startHost()
        const ended = yield* Effect.raceFirst(endedAnywhere(host.url, quoted), mining)
        assert.strictEqual(ended.status, "success", place)
        yield* Effect.raceFirst(
          eventually("all deposits are closed", openDeposits(environment), (open) => open === 0),
          mining
        )
        // Nothing more comes, however long it goes on.
        yield* tron.mine(25)
        yield* host.kill("SIGTERM")
        assert.deepStrictEqual(sweepsOf(tron, depositAddress).map(({ id, result }) => [id, result]), [
          [ended.inTxHashes[0], "SUCCESS"]
        ])
        // What was sent before the kill has paid for the sweep: no more was sent.
        const spent = rich - (yield* heldOnTron(TRX, tronSolver.address))
        if (meanwhile !== "nothing") assert.strictEqual(spent, funds, place)
        const received = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient }))
        assertFilled(received, quoted)
      }
      const doctor = yield* runDoctor(environment)
      assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
    })))
})
