/**
 * A host that is killed when it has signed a return on Tron and sent nothing. While it is away the signed transaction
 * expires, so that no block can hold it. After the restart a refund, or the excess of a strict address, is paid once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { keyOf } from "../../../localnet/nodes/tron/node/LocalKey.ts"
import { rowsBeside } from "../../testing/BesideStore.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { runDoctor } from "../../testing/RunOperation.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { payTron, tronAddressFor } from "../../testing/TronAddressed.ts"
import { carriedOut, fromTron, isSentBy, quoteTron } from "../../testing/TronClient.ts"
import { startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

type Network = Effect.Success<typeof startTronNetwork>

const NATIVE = "0x0000000000000000000000000000000000000000"
const ONE = 1_000_000n
const [SOME, EXCESS] = [100n * ONE, 40n * ONE]
/** More than a payment costs, in TRX and in USDT. */
const MOST_GAS = 20n * ONE
/** Longer than a payment can be executed, milliseconds of the chain's time. */
const LIFETIME = 11 * 60_000

const newKey = () => keyOf(`0x${randomBytes(32).toString("hex")}`)

/** What is returned, and where it is signed. The account `back` has no other income. */
const returns = [
  { name: "a refund of TRX", currency: TRX, purpose: "refund", due: SOME },
  { name: "a refund of USDT", currency: usdt, purpose: "refund", due: SOME },
  { name: "an excess of USDT", currency: usdt, purpose: "excess", due: EXCESS }
] as const
type Return = (typeof returns)[number]

/** Asks and pays, so that this return follows. */
const begin = Effect.fnUntraced(function*(
  { chains: { alpha }, fresh, wallet }: Network,
  url: string,
  { currency, purpose }: Return,
  back: string
) {
  const to = [alpha.chainId, NATIVE] as const
  if (purpose === "refund") {
    const changes = { refundTo: back, refundOnOrigin: true, referrer: "force-refund" }
    const quoted = yield* quoteTron(url, fromTron(wallet, fresh(), to, [currency, SOME], changes))
    yield* carriedOut(wallet, quoted)
    return quoted
  }
  const body = fromTron({ key: newKey() }, fresh(), to, [currency, SOME], { strict: true, refundTo: back })
  const { depositAddress, quoted } = yield* tronAddressFor(url, body)
  yield* payTron(wallet, depositAddress, currency, SOME + EXCESS)
  return quoted
})

/** The ids of the transactions that were ever signed for it, oldest first. */
const signedFor = ({ environment }: Network, { purpose }: Return) =>
  Effect.map(
    rowsBeside(
      environment["DATABASE_URL"] ?? "",
      "SELECT transaction_id FROM payments WHERE leg LIKE ? ORDER BY signed_at",
      `${purpose}%`
    ),
    (rows) => rows.map((row) => String(row["transaction_id"]))
  )

/** What the solver has sent, in blocks. */
const sentBySolver = ({ tron: { chain: { ledger } }, tronSolver }: Network) =>
  [...ledger.from(1, ledger.tip.number)].flatMap(({ executed }) => executed).filter(({ transaction }) =>
    isSentBy(tronSolver, transaction)
  )

const struck = Effect.fnUntraced(function*(network: Network, returned: Return) {
  const { environment, heldOnTron, startHost, tron } = network
  const { currency, due, purpose } = returned
  const mining = slowingBlocks(tron.mine(7))
  const back = newKey().address
  const killed = yield* startHost({ FAILPOINT: `Payments.signOnce ${purpose}:after` })
  const quoted = yield* begin(network, killed.url, returned, back)
  assert.strictEqual(yield* Effect.raceFirst(killed.ended, mining), "SIGKILL", killed.output().slice(-2_000))
  tally("kills", 1)
  const [first, ...others] = yield* signedFor(network, returned)
  assert.isDefined(first)
  assert.isEmpty(others)
  assert.isEmpty(sentBySolver(network).filter(({ transaction: { txID } }) => txID === first))
  yield* Effect.promise(async () => {
    tron.chain.wait(tron.chain.ledger.tip.timestamp + LIFETIME)
    await tron.chain.mine(21)
  })
  const host = yield* startHost()
  const { status } = yield* Effect.raceFirst(endedAnywhere(host.url, quoted), mining).pipe(
    Effect.timeoutOrElse({
      duration: "180 seconds",
      orElse: () => Effect.die(new Error(`it has not ended: ${host.output().slice(-2_000)}`))
    })
  )
  assert.strictEqual(status, purpose === "refund" ? "refund" : "success")
  const closed = eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
  const paid = eventually("it is returned", heldOnTron(currency, back), (units) => units > 0n)
  yield* Effect.raceFirst(Effect.andThen(closed, paid), mining)
  // Whatever else was signed would be executed by now.
  yield* tron.mine(25)
  yield* host.kill("SIGTERM")
  const ids = (yield* signedFor(network, returned)).filter((id) => id !== first)
  assert.lengthOf(ids, 1, "it was signed again, once")
  assert.deepStrictEqual(
    sentBySolver(network).filter(({ transaction: { txID } }) => txID === first || ids.includes(txID))
      .map(({ result, transaction: { txID } }) => [txID, result]),
    [[ids[0], "SUCCESS"]]
  )
  const units = yield* heldOnTron(currency, back)
  assert.isTrue(units < due && units > due - MOST_GAS, `${units} of ${due}`)
  assert.deepInclude(JSON.parse((yield* runDoctor(environment)).out), { findings: [] })
})

describe("a return on Tron that was signed, not sent, and has expired while the host was away", () => {
  for (const returned of returns) {
    it.live(
      `is paid once after the restart: ${returned.name}`,
      () => Effect.scoped(Effect.flatMap(startTronNetwork, (network) => struck(network, returned))),
      600_000
    )
  }
})
