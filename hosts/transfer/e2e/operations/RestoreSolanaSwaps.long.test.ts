/**
 * A store that is restored from a backup, and has forgotten fills that swap on Solana: one that a block has, one whose
 * bytes somebody has kept, and one that never came. Each is paid once.
 */
import { assert, describe, it } from "@effect/vitest"
import { address, createSolanaRpc, getBase64EncodedWireTransaction, getTransactionDecoder } from "@solana/kit"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { dirname, join } from "node:path"
import { parseEther } from "viem"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { holding } from "../../../localnet/nodes/solana/node/TokenAccount.ts"
import { gem } from "../../../localnet/nodes/solana/pools/Pools.ts"
import { unluckyNode } from "../crash/testing/Unlucky.ts"
import { execute, quote } from "../../testing/Client.ts"
import { eventually, openDeposits, orderIdOf } from "../../testing/Misbehaving.ts"
import { runDoctor, runOperation } from "../../testing/RunOperation.ts"
import { endedAnywhere, toSolana } from "../../testing/SolanaClient.ts"
import { startSolanaNetwork } from "../../testing/SolanaNetwork.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"

/** Milliseconds between slots: a signed transaction is dead after a minute. */
const SLOT = 400

/** Longer than a transaction can be executed, finality included. */
const LIFETIME = 160

describe("a store that is restored from a backup, and has forgotten fills that swap on Solana", () => {
  it.live("pays each deposit once, and the doctor agrees", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startSolanaNetwork(SLOT)
      const { chains, environment, partyOf, solana, solanaSolver, store } = network
      const file = join(dirname(store.slice("sqlite:".length)), "backups", "one.db")
      // Nothing expires before the test says so.
      const unlucky = yield* unluckyNode(solana, () => true)
      const start = network.startHost({ SOLANA_RPC_URL: unlucky.url })
      const held = (owner: string) =>
        Effect.map(
          Effect.promise(() => tokenAccount(address(owner), gem.address, gem.program)),
          (account) => holding(solana.chain.read(account, "confirmed"))?.amount ?? 0n
        )
      /** The outcomes of the solver's transactions that name an order. */
      const named = (order: string) =>
        Effect.promise(async () =>
          (await createSolanaRpc(solana.url).getSignaturesForAddress(address(solanaSolver)).send()).flatMap((
            { err, memo }
          ) => memo?.includes(order) === true ? [err] : [])
        )
      const first = yield* start
      const begin = Effect.fnUntraced(function*(index: number) {
        const recipient = keyOfSeed(new Uint8Array(randomBytes(32))).address
        const { evmUser, key } = partyOf(index)
        const quoted = yield* quote(
          first.url,
          toSolana(evmUser, recipient, NATIVE, gem.address, chains.alpha.chainId, parseEther("0.1"))
        )
        return { recipient, quoted, pay: execute(chains.alpha, key, quoted) }
      })
      const [paid, late, lost] = [yield* begin(0), yield* begin(1), yield* begin(2)]
      const backedUp = yield* runOperation("backup", environment, file)
      assert.strictEqual(backedUp.code, 0, backedUp.error)

      yield* paid.pay
      yield* endedAnywhere(first.url, paid.quoted)
      // Both are signed, and leaders drop them before the host is lost.
      yield* Effect.scoped(Effect.gen(function*() {
        yield* unlucky.strike
        yield* late.pay
        yield* eventually("it was dropped", Effect.sync(unlucky.count), (count) => count === 1)
        yield* lost.pay
        yield* eventually("both were dropped", Effect.sync(unlucky.count), (count) => count === 2)
        yield* first.kill("SIGKILL")
      }))
      const restored = yield* runOperation("restore", environment, file)
      assert.strictEqual(restored.code, 0, restored.error)
      const kept = getTransactionDecoder().decode(Buffer.from(unlucky.wires()[0] ?? "", "base64"))
      yield* Effect.promise(() =>
        createSolanaRpc(solana.url).sendTransaction(getBase64EncodedWireTransaction(kept), { encoding: "base64" })
          .send()
      )
      const second = yield* start
      const says = (what: string) => eventually(what, Effect.sync(second.output), (output) => output.includes(what))
      yield* says("are held until")
      yield* solana.mine(LIFETIME)
      yield* says("solana-local go on")
      const all = [paid, late, lost]
      const received = yield* Effect.forEach(all, ({ quoted, recipient }) =>
        Effect.gen(function*() {
          assert.deepInclude(yield* endedAnywhere(second.url, quoted), { status: "success" })
          return yield* held(recipient)
        }))
      assert.strictEqual(`${received[0]}`, paid.quoted.details.currencyOut.amount)
      for (const [at, { quoted }] of all.entries()) {
        // Each swap moves the pool, so a later one gives a little less.
        const [got, promised] = [received[at] ?? 0n, BigInt(quoted.details.currencyOut.amount)]
        assert.isTrue(got <= promised && got * 100n > promised * 99n, `${got} of ${promised}`)
      }
      yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
      // Whatever else was signed would be executed by now.
      yield* solana.mine(LIFETIME)
      for (const { quoted } of all) assert.deepStrictEqual(yield* named(orderIdOf(quoted)), [null])
      assert.deepStrictEqual(yield* Effect.forEach(all, ({ recipient }) => held(recipient)), received)
      const doctor = yield* runDoctor(environment)
      assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
    })))
})
