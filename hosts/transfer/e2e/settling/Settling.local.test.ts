/** The worker settles its fills and refunds: real chains, a real hub, real oracles, and the faults of each. */
import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { encodeFunctionData, erc20Abi, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { ended, nativeRequest, post, quote, reader, sendCall, sendDeposit } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { alarms, eventually, holdMining, orderIdOf, resumeMining } from "../../testing/Misbehaving.ts"
import { moveMarket } from "../../testing/MoveMarket.ts"
import { pooled } from "../../testing/FeePressure.ts"
import { ORACLE_KEY, startSettling } from "../../testing/SettlingNetwork.ts"
import type { Manner } from "../../testing/SettlingNetwork.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { sendPoisoned } from "../../testing/PoisonedMint.ts"
import { ETH, GEM, held, USDC } from "../../testing/Tokens.ts"
import { settled, settlementsOf } from "../../testing/Settlements.ts"

const AMOUNT = 10n ** 16n
const ADMIN = "a-token-of-thirty-two-characters-or-more"

class Running extends fixtureOf<Running>()(
  "test/SettlingRunning",
  Effect.map(
    startFixture(startSettling(2, 1), { settings: ({ settling }) => ({ ...settling, ADMIN_TOKEN: ADMIN }) }),
    (fixture) => ({ ...fixture, deposited: { units: 0n, settlements: 0 } })
  )
) {}

const alpha = { slug: ChainSlug.make("alpha"), family: families["ethereum-vm"], network: "mainnet" } as const
const beta = { ...alpha, slug: ChainSlug.make("beta") }

/** A deposit on alpha that is filled or refunded, to the end of the user's part. */
const paid = Effect.fnUntraced(
  function*(index: number, changes: object = {}, units: bigint = AMOUNT, meanwhile: Effect.Effect<void> = Effect.void) {
    const { chains, deposited, url } = yield* Running
    const key = chains.users[index] ?? "0x"
    const quoted: QuoteAnswer = yield* quote(
      url,
      nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, AMOUNT, changes)
    )
    yield* meanwhile
    const receipt = yield* sendDeposit(chains.alpha, key, quoted, units)
    const end = yield* ended(url, quoted)
    deposited.units += units
    deposited.settlements += 1
    return { quoted, order: orderIdOf(quoted), deposit: receipt.transactionHash, end, key }
  }
)

const Execution = Schema.Struct({
  idempotencyKey: Schema.TemplateLiteral(["0x", Schema.String]),
  actions: Schema.Array(Schema.TemplateLiteral(["0x", Schema.String])),
  signatures: Schema.Array(Schema.Struct({ signature: Schema.TemplateLiteral(["0x", Schema.String]) }))
})

/** An oracle's signed attestation of a deposit, which any stranger may request. */
const attestedDeposit = (oracle: string, transactionId: Hex) =>
  Effect.gen(function*() {
    const answer = yield* post(`${oracle}/attestations/depository-deposits/v1`, { chainId: "alpha", transactionId }, {
      "x-api-key": ORACLE_KEY
    })
    return answer.status === 200
      ? Schema.decodeUnknownSync(Schema.Struct({ execution: Execution }))(answer.json()).execution
      : undefined
  })

/** The solver's balance of alpha's native currency on the hub: only settled deposits. */
const solverOnHub = Effect.gen(function*() {
  const { chains, held: onHub } = yield* Running
  const account = Result.getOrThrow(alias(beta, chains.solver.toLowerCase()))
  return yield* onHub(toHex(BigInt(account), { size: 20 }), Result.getOrThrow(hubTokenId(alpha, ETH.address)))
})

/** To the unit: all deposits are the solver's, each execution was done once, and nothing else was. */
const assertBooks = Effect.gen(function*() {
  const { deposited, executions } = yield* Running
  assert.strictEqual(yield* solverOnHub, deposited.units)
  const keys = yield* executions
  assert.strictEqual(new Set(keys).size, keys.length)
  assert.lengthOf(keys, 2 * deposited.settlements)
})

const submissions = (hub: Anvil, solver: Hex) =>
  Effect.promise(() => reader(hub).getTransactionCount({ address: solver }))

layer(Running.layer, { excludeTestServices: true })("what the worker settles", (it) => {
  it.effect("credits fills and refunds to the solver on the hub, several in one transaction, and the history shows which", () =>
    Effect.gen(function*() {
      const { chains, hub, node, url } = yield* Running
      // While the hub is unreachable, deposits are filled and wait. Then they are submitted together.
      node.fail(() => "dropped")
      const made = yield* Effect.all([
        paid(0),
        paid(1, { refundOnOrigin: true, referrer: "force-refund" }),
        // Two payments in one fill: the output by its token, the gas topup by the router's event.
        paid(2, { destinationCurrency: USDC.address, topupGas: true }),
        // A fifth of the quoted amount: because of its refund's gas alone it would be too little for the order.
        paid(3, { refundOnOrigin: true }, AMOUNT / 5n),
        // Deposited and filled on one chain, in two currencies.
        paid(4, {
          destinationChainId: chains.alpha.chainId,
          destinationCurrency: USDC.address,
          forceSolverExecution: true
        })
      ], { concurrency: "unbounded" })
      for (const { end } of made) assert.include(["success", "refund"], end.status)
      assert.deepStrictEqual([made[1].end.status, made[3].end.status], ["refund", "refund"])
      yield* eventually(
        "all are closed",
        Effect.forEach(made, ({ order }) => settlementsOf(url, order)),
        (all) => all.every((found) => found[0]?.reason === "hub-unavailable")
      )
      const before = yield* submissions(hub, chains.solver)
      node.tellTheTruth()
      const found = (yield* Effect.forEach(made, ({ order }) => settled(url, order))).flat()
      assert.deepStrictEqual(found.map(({ inTxHash }) => inTxHash), made.map(({ deposit }) => deposit))
      // Four deposits in fewer transactions, each of which the history names.
      const sent = (yield* submissions(hub, chains.solver)) - before
      assert.isTrue(sent >= 1 && sent < made.length, `${sent} transactions`)
      assert.strictEqual(new Set(found.map(({ txHash }) => txHash)).size, sent)
      yield* assertBooks
    }))

  it.effect("settles to the unit a fill that swaps, and a fallback where the swap cannot be made, for the quoted amount and for more", () =>
    Effect.gen(function*() {
      const { chains: { beta, users }, url } = yield* Running
      const recipient = (index: number) => toHex(0xfa11_0000n + BigInt(index), { size: 20 })
      const swap = (index: number, changes: object = {}) => ({
        destinationCurrency: GEM.address,
        includedSwapSources: ["uniswap-v2"],
        recipient: recipient(index),
        ...changes
      })
      const filled = yield* paid(0, swap(0))
      assert.strictEqual(filled.end.status, "success")
      assert.strictEqual(yield* held(beta, GEM, recipient(0)), BigInt(filled.quoted.details.currencyOut.amount))
      // The market moves once these are quoted.
      const moved = moveMarket(beta, users[8] ?? "0x", "uniswap-v2", GEM.address, 100n * 10n ** 18n)
      const falling = { slippageTolerance: "50", useFallbacks: true, overridePriceImpact: true }
      const quoted = yield* paid(1, swap(1, falling), AMOUNT, moved)
      const more = yield* paid(2, swap(2, falling), 2n * AMOUNT, moved)
      assert.deepStrictEqual([quoted, more].map(({ end }) => [end.status, end.fallback?.state]), [["success", "paid"], [
        "success",
        "paid"
      ]])
      const bridged = (of: typeof quoted) => BigInt(of.quoted.details.route.destination.inputCurrency.amount)
      assert.deepStrictEqual([yield* held(beta, ETH, recipient(1)), yield* held(beta, GEM, recipient(1))], [
        bridged(quoted),
        0n
      ])
      // At a new price: more than twice the quoted amount, because gas is paid once.
      assert.isTrue((yield* held(beta, ETH, recipient(2))) > 2n * bridged(more))
      yield* Effect.forEach([filled, quoted, more], ({ order }) => settled(url, order), { concurrency: "unbounded" })
      yield* assertBooks
    }))

  it.effect("counts an execution that a stranger submitted, and does not submit it again", () =>
    Effect.gen(function*() {
      const { chains, executions, hub, node, oracles, submit, url } = yield* Running
      node.fail(() => 503)
      const { deposit, key, order } = yield* paid(4)
      const mint = yield* eventually(
        "the deposit is attested",
        attestedDeposit(oracles[0]?.direct ?? "", deposit),
        (each) => each !== undefined
      )
      if (mint !== undefined) assert.strictEqual(yield* submit(key, mint), "success")
      const before = yield* submissions(hub, chains.solver)
      node.tellTheTruth()
      yield* settled(url, order)
      assert.strictEqual((yield* submissions(hub, chains.solver)) - before, 1)
      assert.strictEqual((yield* executions).filter((each) => each === mint?.idempotencyKey).length, 1)
      yield* assertBooks
    }))

  it.effect("continues although an oracle hangs, lies or is dead, while another answers", () =>
    Effect.gen(function*() {
      const { oracles: [first, second], url } = yield* Running
      const manners: ReadonlyArray<Manner> = [
        "hanging",
        "dead",
        { say: (answer) => answer.replace(/"signature":"0x..../g, "\"signature\":\"0xffff") },
        { say: () => "x".repeat(2_000_000) },
        { say: (answer) => answer.replace(/0{63}1/g, `${"0".repeat(63)}2`) },
        { status: 503, say: () => "" }
      ]
      first?.behave((asked) => manners[asked % manners.length] ?? "dead")
      const made = yield* Effect.forEach([5, 6, 7, 8], (index) => paid(index), { concurrency: "unbounded" })
      yield* Effect.forEach(made, ({ order }) => settled(url, order), { concurrency: "unbounded" })
      first?.behave("honest")
      second?.behave("dead")
      const { order } = yield* paid(0)
      yield* settled(url, order)
      second?.behave("honest")
      yield* assertBooks
    }))

  it.effect("waits without any oracle, says so, and continues when one is back", () =>
    Effect.gen(function*() {
      const { oracles, url } = yield* Running
      for (const { behave } of oracles) behave("dead")
      const { order } = yield* paid(1)
      yield* eventually("it waits for oracles", settlementsOf(url, order), ([found]) =>
        found?.state === "open" && found.reason === "oracles-unavailable")
      const metrics = yield* eventually(
        "it is shown",
        Effect.promise(() =>
          fetch(`${url}/metrics`).then((response) =>
            response.text()
          )
        ),
        (text) => /^causeway_settlements\{state="open"\} 1$/m.test(text)
      )
      assert.match(metrics, /^causeway_settlement_age_seconds\{state="open"\} \d+$/m)
      for (const { behave } of oracles) behave("honest")
      yield* settled(url, order)
      yield* assertBooks
    }))

  it.effect("is submitted again when a hub reorg removes the submission", () =>
    Effect.gen(function*() {
      const { chains, hub, url } = yield* Running
      const before = yield* submissions(hub, chains.solver)
      yield* Effect.acquireRelease(holdMining(hub), () => Effect.orDie(resumeMining(hub)))
      const { order } = yield* paid(2)
      yield* eventually("it is submitted", pooled(hub, chains.solver), (waiting) => waiting.length === 1)
      yield* hub.mine()
      assert.strictEqual((yield* submissions(hub, chains.solver)) - before, 1)
      yield* hub.reorg(1)
      yield* resumeMining(hub)
      yield* settled(url, order)
      assert.strictEqual((yield* submissions(hub, chains.solver)) - before, 1)
      yield* assertBooks
    }))

  it.effect("settles a stranger's refunded deposit by the order's last option; one in another currency is no refund of the order, and is left out", () =>
    Effect.gen(function*() {
      const { chains, deposited, url } = yield* Running
      const [owner = "0x", stranger = "0x"] = [chains.users[3], chains.users[4]]
      const quoted = yield* quote(
        url,
        nativeRequest(privateKeyToAccount(owner).address, chains.alpha, chains.beta, AMOUNT, {
          refundTo: toHex(0xb7, { size: 20 })
        })
      )
      yield* sendDeposit(chains.alpha, stranger, quoted, AMOUNT / 2n)
      const order = orderIdOf(quoted)
      yield* settled(url, order)
      deposited.units += AMOUNT / 2n
      deposited.settlements += 1
      const depository = addressOf("Depository")
      yield* sendCall(chains.alpha, stranger, {
        to: USDC.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [depository, USDC.some] })
      })
      const args = [privateKeyToAccount(stranger).address, USDC.address, USDC.some, order] as const
      yield* sendCall(chains.alpha, stranger, {
        to: depository,
        data: encodeFunctionData({ abi: depositoryAbi, functionName: "depositErc20", args })
      })
      yield* eventually(
        "it is left out",
        settlementsOf(url, order),
        (found) => found.map(({ state }) => state).toSorted().join() === "excluded,settled"
      )
      assert.strictEqual(yield* alarms(url, "settlement-refused"), 0)
      yield* assertBooks
    }))

  it.effect("excludes a deposit whose mint an attacker made impossible: oracles sign that mint, the hub refuses it, and nothing was filled for it", () =>
    Effect.gen(function*() {
      const { chains, oracles, submit, url } = yield* Running
      const key = chains.users[7] ?? "0x"
      const recipient = toHex(0xbad7, { size: 20 })
      const quoted = yield* quote(
        url,
        nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, AMOUNT, { recipient })
      )
      const receipt = yield* sendPoisoned(chains.alpha, key, quoted)
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "UNKNOWN"])
      yield* eventually("the alarm", alarms(url, "unmintable-deposit"), (count) => count === 1)
      assert.strictEqual(yield* Effect.promise(() => reader(chains.beta).getBalance({ address: recipient })), 0n)
      const mint = yield* eventually(
        "the deposit is attested",
        attestedDeposit(oracles[0]?.direct ?? "", receipt.transactionHash),
        (each) => each !== undefined
      )
      assert.lengthOf(mint?.actions ?? [], 3)
      if (mint !== undefined) assert.strictEqual(yield* submit(key, mint), "reverted")
      yield* assertBooks
    }))

  it.effect("is refused when all oracles refuse for good, is reported, and is retried when an operator asks", () =>
    Effect.gen(function*() {
      const { oracles, url } = yield* Running
      for (const { behave } of oracles) {
        behave({
          status: 400,
          say: () => JSON.stringify({ message: "no", reason: "underpaid" })
        })
      }
      const { order } = yield* paid(5)
      yield* eventually(
        "it is refused",
        settlementsOf(url, order),
        ([found]) => found?.state === "refused" && found.reason === "oracles-refuse"
      )
      yield* eventually("the alarm", alarms(url, "settlement-refused"), (count) => count >= 1)
      for (const { behave } of oracles) behave("honest")
      const { requests: [request] } = yield* Effect.promise(async () =>
        Schema.decodeUnknownSync(Schema.Struct({ requests: Schema.Array(Schema.Struct({ id: Schema.String })) }))(
          await (await fetch(`${url}/requests?orderId=${order}`)).json()
        )
      )
      const retried = yield* post(`${url}/admin/requests/${request?.id ?? ""}/retry`, {}, {
        authorization: `Bearer ${ADMIN}`
      })
      assert.deepStrictEqual([retried.status, retried.json()], [200, { deposits: 0, settlements: 1 }])
      yield* settled(url, order)
      yield* assertBooks
    }))

  it.effect("gets the signatures of both oracles for a gate that requires two, and submits nothing with one", () =>
    Effect.gen(function*() {
      const { chains, hub, oracles, setThreshold, url } = yield* Running
      yield* setThreshold(2)
      const lies = { say: (answer: string) => answer.replace(/"oracleSigner":"0x..../g, "\"oracleSigner\":\"0xffff") }
      const [first, second] = oracles
      // The first oracle has the second's signature too. It is dropped on the way.
      first?.behave({
        say: (answer) => answer.replaceAll(second?.address.toLowerCase() ?? "0x", toHex(0xff, { size: 20 }))
      })
      second?.behave(lies)
      const before = yield* submissions(hub, chains.solver)
      const { order } = yield* paid(6)
      yield* eventually(
        "one signature is missing",
        settlementsOf(url, order),
        ([found]) => found?.reason === "signatures-missing"
      )
      assert.strictEqual(yield* submissions(hub, chains.solver), before)
      // One oracle that returns its peer's signature is enough.
      first?.behave("honest")
      yield* settled(url, order)
      second?.behave("honest")
      // The real hub also accepts what two oracles signed about a refund.
      const refund = yield* paid(7, { refundOnOrigin: true, referrer: "force-refund" })
      assert.strictEqual(refund.end.status, "refund")
      yield* settled(url, refund.order)
      yield* assertBooks
    }))

  it.effect("agrees with the doctor, which knows the hub and that the account's submissions move nothing", () =>
    Effect.gen(function*() {
      const { chains, deposited, environment, hub, settling } = yield* Running
      assert.isTrue((yield* submissions(hub, chains.solver)) <= deposited.settlements)
      const { code, error, out } = yield* runOperation("doctor", { ...environment, ...settling })
      assert.strictEqual(code, 0, `${out}${error}`)
      assert.include(out, "3 chains")
    }))
})
