import { assert, layer } from "@effect/vitest"
import { ExchangeClient, HttpTransport } from "@nktkas/hyperliquid"
import { Effect, Result } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import {
  encodeExchangeAWithdrawal,
  exchangeAWithdrawalId
} from "../../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { ExchangeA, QUOTA_BODY } from "../../../localnet/nodes/exchange-a/ExchangeA.ts"
import type { ExchangeFault } from "../../../localnet/nodes/exchange-a/ExchangeA.ts"
import { serveJson } from "../../../localnet/nodes/exchange-a/node/JsonServer.ts"
import { depositedOf, outcomeOf, startHubFixture } from "../../testing/HubFixture.ts"
import { signNonceMapping } from "../../testing/SignNonceMapping.ts"

const USD = "0x00000000000000000000000000000000"
const HOUR_MS = 3_600_000
const PROXY_KEY = "s3cret-proxy"
const HUB_KEY = "s3cret-hub"
const TOK = { name: "TOK", tokenId: `0x${"7e".repeat(16)}`, weiDecimals: 5 }
const keyOf = (digits: string) => Hex32.make(`0x${digits.repeat(32)}`)
const idOf = (digits: string) => Hex32.make(`0x${digits.repeat(32)}`)
const zero = idOf("00")
const payee = `0x${"9a".repeat(20)}`

/** An answer with a part of its text replaced. */
const rewritten = (answer: unknown, piece: string, by: string): unknown =>
  JSON.parse((JSON.stringify(answer) ?? "null").replace(piece, by))

interface Mapped {
  readonly wallet: string
  readonly nonce: number
  readonly id: Hex32
  readonly signature: string
  readonly createdAt: number
}

const made = Effect.gen(function*() {
  const exchange = yield* ExchangeA.start({ endpoints: 3, tokens: [TOK], proxyKey: PROXY_KEY })
  const { book } = exchange
  const [user, solver, depository] = ["a1", "b2", "d4"].map((digits) => privateKeyToAccount(keyOf(digits)))
  if (user === undefined || solver === undefined || depository === undefined) {
    return yield* Effect.die(new Error("no keys"))
  }
  for (const account of [user, solver, depository]) {
    book.credit(account.address, "", 10n ** 18n)
    book.credit(account.address, "spot", 10n ** 15n, TOK)
  }
  const mappings: Array<Mapped> = []
  let hubAway = false
  const mappingHub = yield* serveJson(async ({ headers, url }) => {
    const [, , , slug, wallet, nonce] = url.pathname.split("/")
    if (hubAway) return { question: "", status: 500, body: { message: "away" } }
    if (headers["x-api-key"] !== HUB_KEY) return { question: "", status: 401, body: { message: "no" } }
    const found = mappings.find((each) => each.wallet === wallet && `${each.nonce}` === nonce)
    return found === undefined
      ? { question: "", status: 404, body: { message: "none", code: "NONCE_MAPPING_NOT_FOUND" } }
      : {
        question: "",
        status: 200,
        body: {
          ...found,
          walletChainId: slug,
          signatureChainId: 42_161,
          createdAt: new Date(found.createdAt).toISOString()
        }
      }
  }, () => undefined)
  const fixture = yield* startHubFixture({
    slug: "exchangea-local",
    family: "exchangea-vm",
    native: USD,
    depository: depository.address.toLowerCase(),
    environment: {
      EXCHANGEA_RPC_URL: exchange.urls.join(","),
      EXCHANGEA_DEPOSITORY: depository.address.toLowerCase(),
      EXCHANGEA_HUB_API_URL: mappingHub,
      EXCHANGEA_HUB_API_KEY: HUB_KEY,
      EXCHANGEA_PROXY_API_URL: exchange.proxyUrl,
      EXCHANGEA_PROXY_API_KEY: PROXY_KEY
    }
  })
  type Account = typeof user
  let last = 0
  /**
   * Sends through the unmodified SDK, whose nonce is the exchange's time. Returns the hash and nonce of what it sent.
   */
  const sending = (from: Account, run: (client: ExchangeClient) => Promise<unknown>) =>
    Effect.promise(async () => {
      last = Math.max(last + 1, book.now())
      const nonce = last
      const client = new ExchangeClient({
        transport: new HttpTransport({ apiUrl: exchange.urls[2] ?? "" }),
        wallet: from,
        nonceManager: () => nonce
      })
      await run(client).catch((error: unknown) => error)
      const [newest] = book.ofAccount(from.address)
      return { hash: newest?.hash ?? "", nonce, time: newest?.time ?? 0 }
    })
  const usd = (from: Account, destination: string, amount: string) =>
    sending(from, (client) => client.usdSend({ destination: destination, amount }))
  const asset = (from: Account, destination: string, amount: string, changes: object = {}) =>
    sending(
      from,
      (client) =>
        client.sendAsset({
          destination: destination,
          sourceDex: "spot",
          destinationDex: "spot",
          token: `TOK:${TOK.tokenId}`,
          amount,
          ...changes
        })
    )
  /** A mapping for the wallet, signed by `by`. */
  const map = Effect.fnUntraced(
    function*(
      wallet: Account,
      nonce: number,
      id: Hex32,
      changes: {
        readonly by?: Account
        readonly depositor?: string
        readonly chain?: string
        readonly createdAt?: number
      } = {}
    ) {
      const { by = wallet, chain = "exchangea-local", createdAt = book.now(), depositor = wallet.address } = changes
      const signature = yield* Effect.promise(() =>
        signNonceMapping(by, { chain, wallet: wallet.address, depositor: depositor as `0x${string}`, id, nonce })
      )
      mappings.push({ wallet: wallet.address.toLowerCase(), nonce, id, signature, createdAt })
    }
  )
  return {
    ...fixture,
    exchange,
    book,
    user,
    solver,
    depository,
    usd,
    asset,
    map,
    hubIsAway: (away: boolean) => {
      hubAway = away
    }
  }
})

class Running extends fixtureOf<Running>()("test/ExchangeA", made) {}

layer(Running.layer, { excludeTestServices: true })("what the oracle attests of exchange A", (it) => {
  it.effect(
    "a mapped deposit, its fill and its refund are executed on the hub, with exact amounts",
    () =>
      Effect.gen(function*() {
        const { ask, askDeposits, asset, book, depository, held, map, order, solver, submit, usd, user } =
          yield* Running
        const signed = yield* order(
          1_234_567_800n,
          { recipient: payee, currency: TOK.tokenId, amount: 150_001n },
          Math.floor(book.now() / 1_000) + 86_400
        )
        const deposit = yield* usd(user, depository.address, "12.345678")
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(deposit.hash)), [400, "not-final"])
        yield* map(user, deposit.nonce, signed.id)
        const attested = yield* askDeposits(deposit.hash)
        assert.deepStrictEqual(depositedOf(attested), [[signed.id, user.address.toLowerCase(), USD, "1234567800"]])
        assert.strictEqual(attested.messages?.[0]?.extraData.timestamp, Math.floor(deposit.time / 1_000))
        assert.strictEqual(yield* submit(attested.execution), "success")
        assert.strictEqual(yield* submit(attested.execution), "refused")
        const paid = yield* asset(solver, payee, "1.50001")
        const inputs = [{
          transactionId: deposit.hash,
          onchainId: attested.messages?.[0]?.result.onchainId,
          inputIndex: 0
        }]
        const claim = { order: signed.order, orderSignature: signed.orderSignature, inputs }
        const fill = { ...claim, fill: { transactionId: paid.hash } }
        assert.deepStrictEqual(outcomeOf(yield* ask("solver-fills", fill)), [400, "not-final"])
        yield* map(solver, paid.nonce, signed.id)
        const filled = yield* ask("solver-fills", fill)
        assert.deepStrictEqual(outcomeOf(filled), [200, "signed"])
        const refund = yield* usd(solver, user.address, "12.345678")
        yield* map(solver, refund.nonce, signed.id)
        const refunded = yield* ask("solver-refunds", {
          ...claim,
          refunds: [{ transactionId: refund.hash, inputIndex: 0, refundIndex: 0 }]
        })
        assert.strictEqual(refunded.execution?.idempotencyKey, filled.execution?.idempotencyKey)
        assert.strictEqual(yield* submit(filled.execution), "success")
        assert.strictEqual(yield* held(payee), 0n)
      }),
    shows("exchangea-vm", "deposit", "payment")
  )

  it.effect("currencies are perps, spot and a named dex; others are refused, and failed transfers are no evidence", () =>
    Effect.gen(function*() {
      const { askDeposits, asset, book, depository, map, solver, usd, user } = yield* Running
      const depositOf = Effect.fnUntraced(function*(sent: { readonly hash: string; readonly nonce: number }) {
        yield* map(user, sent.nonce, idOf("e1"))
        return yield* askDeposits(sent.hash)
      })
      book.credit(user.address, "", 10n ** 12n, TOK)
      const spot = yield* depositOf(yield* asset(user, depository.address, "0.00001"))
      assert.deepStrictEqual(depositedOf(spot).map(([, , currency, amount]) => [currency, amount]), [[
        TOK.tokenId,
        "1"
      ]])
      const named = yield* depositOf(yield* asset(user, depository.address, "2", { destinationDex: "xyz" }))
      assert.deepStrictEqual(depositedOf(named).map(([, , currency]) => currency), [`${TOK.tokenId}78797a`])
      const perps = yield* depositOf(
        yield* asset(user, depository.address, "3.5", {
          sourceDex: "",
          destinationDex: "",
          token: "USDC:0x6d1e7cde53ba9467b783cb7c530ce054"
        })
      )
      assert.deepStrictEqual(depositedOf(perps).map(([, , currency, amount]) => [currency, amount]), [[
        USD,
        "350000000"
      ]])
      const other = yield* depositOf(yield* asset(user, depository.address, "2", { sourceDex: "", destinationDex: "" }))
      assert.deepStrictEqual(outcomeOf(other), [400, "malformed"])
      const failed = yield* askDeposits((yield* usd(user, depository.address, "999999999999")).hash)
      assert.deepStrictEqual(outcomeOf(failed), [400, "reverted"])
      assert.deepStrictEqual(outcomeOf(yield* askDeposits(`0x${"5a".repeat(32)}`)), [400, "not-found"])
      // A transfer to another account, and one by the depository itself, deposit nothing.
      const elsewhere = yield* usd(user, solver.address, "1")
      yield* map(user, elsewhere.nonce, idOf("e2"))
      for (const { hash } of [elsewhere, yield* usd(depository, user.address, "1")]) {
        assert.deepStrictEqual(depositedOf(yield* askDeposits(hash)), [])
      }
    }))

  it.effect(
    "a mapping counts when its own wallet signed it, until an hour after the transfer",
    () =>
      Effect.gen(function*() {
        const { askDeposits, book, depository, hubIsAway, map, oracle, solver, usd, user } = yield* Running
        const forgeries = [
          { by: solver },
          { depositor: solver.address },
          { chain: "exchangea" },
          { createdAt: book.now() + 2 * HOUR_MS }
        ]
        const sent = []
        for (const forgery of forgeries) {
          const deposit = yield* usd(user, depository.address, "1")
          yield* map(user, deposit.nonce, idOf("f1"), forgery)
          sent.push(deposit.hash)
          assert.deepStrictEqual(
            outcomeOf(yield* askDeposits(deposit.hash)),
            [400, "not-final"],
            JSON.stringify(forgery)
          )
        }
        // A mapping made an hour early, by a clock that is off, counts.
        const early = yield* usd(user, depository.address, "1")
        yield* map(user, early.nonce, idOf("f2"), { createdAt: book.now() - HOUR_MS })
        assert.deepStrictEqual(depositedOf(yield* askDeposits(early.hash)).map(([id]) => id), [idOf("f2")])
        const unmapped = yield* usd(user, depository.address, "1")
        book.pass(HOUR_MS - 60_000)
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(unmapped.hash)), [400, "not-final"])
        book.pass(120_000)
        // Nor in the ten minutes after the hour: by a clock that is behind, a mapping may still be kept as if in time.
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(unmapped.hash)), [400, "not-final"])
        const slow = yield* usd(user, depository.address, "1")
        book.pass(HOUR_MS + 120_000)
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(slow.hash)), [400, "not-final"])
        yield* map(user, slow.nonce, idOf("f4"), { createdAt: book.now() - 180_000 })
        assert.deepStrictEqual(depositedOf(yield* askDeposits(slow.hash)).map(([id]) => id), [idOf("f4")])
        // The mapping service does not answer, which does not mean that there is no mapping.
        hubIsAway(true)
        const lost = yield* askDeposits(unmapped.hash)
        assert.deepStrictEqual([lost.http, lost.retryable], [503, true])
        hubIsAway(false)
        for (const hash of [...sent, unmapped.hash]) {
          assert.deepStrictEqual(depositedOf(yield* askDeposits(hash)).map(([id]) => id), [zero])
        }
        // A mapping made too late changes nothing.
        yield* map(user, unmapped.nonce, idOf("f3"))
        assert.deepStrictEqual(
          depositedOf(yield* askDeposits(unmapped.hash)).map(([id]) => id),
          [zero]
        )
        assert.notInclude(oracle.log().join("\n"), "s3cret")
      }),
    shows("exchangea-vm", "deposit")
  )

  it.effect(
    "withdrawals are pending at any age, and executed with a burn; their transaction is proof when the list has dropped it",
    () =>
      Effect.gen(function*() {
        const { book, depository, exchange, issued, map, standing, usd, user } = yield* Running
        const before = yield* usd(depository, payee, "2.5")
        const withdrawal = {
          _tag: "UsdSend",
          hyperliquidChain: "Mainnet",
          destination: payee,
          amount: "7.25",
          time: BigInt(Math.max(before.nonce, book.now()) + 50)
        } as const
        const { body } = yield* issued({
          encoded: Result.getOrThrow(encodeExchangeAWithdrawal(withdrawal)),
          id: Result.getOrThrow(exchangeAWithdrawalId(withdrawal)),
          currency: USD,
          recipient: payee
        })
        assert.strictEqual(yield* standing(body), "0")
        const client = (nonce: number) =>
          new ExchangeClient({
            transport: new HttpTransport({ apiUrl: exchange.urls[0] ?? "" }),
            wallet: depository,
            nonceManager: () => nonce
          })
        const other = yield* usd(user, payee, "7.25")
        yield* map(user, other.nonce, idOf("c1"))
        yield* Effect.promise(() => client(Number(withdrawal.time)).usdSend({ destination: payee, amount: "7.25" }))
        const [executed] = book.ofAccount(depository.address)
        assert.strictEqual(yield* standing(body), "1, 1")
        assert.strictEqual(yield* standing({ ...body, transactionId: executed?.hash }), "1, 1")
        assert.strictEqual(yield* standing({ ...body, transactionId: before.hash }), "400 wrong-transaction")
        assert.strictEqual(yield* standing({ ...body, transactionId: other.hash }), "400 wrong-transaction")
        const forgetful: ExchangeFault = {
          kind: "lie",
          questions: ["userDetails"],
          tell: () => ({ type: "userDetails", txs: [] })
        }
        yield* exchange.misbehave(forgetful, forgetful, forgetful)
        assert.strictEqual(yield* standing(body), "0")
        assert.strictEqual(yield* standing({ ...body, transactionId: executed?.hash }), "1, 1")
        // One lying endpoint is outvoted. What cannot be read is never "unused".
        yield* exchange.misbehave(forgetful)
        assert.strictEqual(yield* standing(body), "1, 1")
        for (
          const fault of [{ kind: "status", status: 429 }, { kind: "status", status: 200, body: QUOTA_BODY }, {
            kind: "down"
          }] as const
        ) {
          yield* exchange.misbehave({ ...fault, questions: ["userDetails"] }, { ...fault, questions: ["userDetails"] })
          assert.strictEqual(yield* standing(body), "503", JSON.stringify(fault))
        }
        yield* exchange.misbehave()
        // A withdrawal that failed on the exchange was never executed, and never expires by age.
        const failing = { ...withdrawal, amount: "99999999999", time: withdrawal.time + 1n }
        const second = yield* issued({
          encoded: Result.getOrThrow(encodeExchangeAWithdrawal(failing)),
          id: Result.getOrThrow(exchangeAWithdrawalId(failing)),
          currency: USD,
          recipient: payee
        })
        yield* Effect.promise(() =>
          client(Number(failing.time)).usdSend({ destination: payee, amount: failing.amount }).catch(() => undefined)
        )
        book.pass(400 * 24 * HOUR_MS)
        assert.strictEqual(yield* standing(second.body), "0")
      }),
    shows("exchangea-vm", "withdrawal")
  )

  it.effect("with used-up quotas a hint names whose ledger to read: it counts as the explorer's word, and forged hints and lying ledgers change nothing", () =>
    Effect.gen(function*() {
      const { ask, asset, askDeposits, book, depository, exchange, map, order, solver, startOracle, usd, user } =
        yield* Running
      const signed = yield* order(
        100_000_000n,
        { recipient: payee, currency: TOK.tokenId, amount: 150_000n },
        Math.floor(book.now() / 1_000) + 86_400
      )
      // The ledger of one account shows both the deposit and the payment.
      const deposit = yield* asset(solver, depository.address, "1", {
        sourceDex: "",
        destinationDex: "",
        token: "USDC:0x6d1e7cde53ba9467b783cb7c530ce054"
      })
      yield* map(solver, deposit.nonce, signed.id)
      const attested = yield* askDeposits(deposit.hash)
      const claim = {
        order: signed.order,
        orderSignature: signed.orderSignature,
        inputs: [{ transactionId: deposit.hash, onchainId: attested.messages?.[0]?.result.onchainId, inputIndex: 0 }]
      }
      const payment = Effect.fnUntraced(function*(amount: string = "1.5") {
        const paid = yield* asset(solver, payee, amount)
        yield* map(solver, paid.nonce, signed.id)
        return paid
      })
      const named = (account: string, timestamp: number) => ({ "exchangea-vm": { user: account, timestamp } })
      const fill = ({ hash }: { readonly hash: string }, hints?: object, url?: string) =>
        ask("solver-fills", { ...claim, fill: { transactionId: hash }, ...(hints === undefined ? {} : { hints }) }, url)
      /** An endpoint that is over its quota, and gives a changed answer to these other questions. */
      const over = (
        questions: ReadonlyArray<string> = [],
        tell: (answer: unknown) => unknown = (answer) => answer
      ): ExchangeFault => ({
        kind: "lie",
        questions: ["txDetails", ...questions],
        tell: (answer) => typeof answer === "object" && answer !== null && "type" in answer ? QUOTA_BODY : tell(answer)
      })

      // The first has a proxy, which counts as one endpoint; the others use their ledgers.
      yield* exchange.misbehave(over(), over(), over())
      const paid = yield* payment()
      assert.strictEqual((yield* fill(paid)).http, 503)
      const forged = [
        named(user.address, paid.time),
        named(solver.address, paid.time + 900_000),
        named(solver.address, paid.time - 900_000),
        named(solver.address, 0),
        {}
      ]
      for (const hints of forged) assert.strictEqual((yield* fill(paid, hints)).http, 503, JSON.stringify(hints))
      assert.strictEqual((yield* fill(paid, named("0x12", paid.time))).http, 400)
      const filled = yield* fill(paid, named(solver.address, paid.time))
      assert.deepStrictEqual(outcomeOf(filled), [200, "signed"])
      // It is not a part of what is signed.
      yield* exchange.misbehave()
      assert.deepStrictEqual((yield* fill(yield* payment(), named(user.address, 0))).execution, filled.execution)

      const ledger = ["userNonFundingLedgerUpdates"]
      const lies: ReadonlyArray<readonly [string, string]> = [
        ["\"amount\":\"1.5\"", "\"amount\":\"150\""],
        [payee, user.address],
        ["\"nonce\":", "\"nonce\":9"],
        ["\"send\"", "\"internalTransfer\""]
      ]
      for (const [piece, by] of lies) {
        const lying = over(ledger, (answer) => rewritten(answer, piece, by))
        const each = yield* payment()
        yield* exchange.misbehave(over(), lying, over())
        assert.deepStrictEqual(outcomeOf(yield* fill(each, named(solver.address, each.time))), [200, "signed"], piece)
        const richer = yield* payment("1.49999")
        const raised = over(ledger, (answer) => rewritten(answer, "1.49999", "1.5"))
        yield* exchange.misbehave(over(), raised, over())
        assert.deepStrictEqual(
          outcomeOf(yield* fill(richer, named(solver.address, richer.time))),
          [400, "underpaid"],
          piece
        )
      }
      // An incomplete or ambiguous answer does not count: about the nonce, a sub-account's owner, the token, or the
      // network.
      const silences: ReadonlyArray<ExchangeFault> = [
        over(ledger, (answer) => rewritten(answer, "\"nonce\":", "\"seen\":")),
        over(
          ledger,
          (answer) =>
            Array.isArray(answer) ? [...answer as ReadonlyArray<unknown>, ...answer as ReadonlyArray<unknown>] : answer
        ),
        over(["userRole"], () => ({ role: "subAccount", data: { master: user.address } })),
        over(["spotMeta"], (answer) => rewritten(answer, "\"name\":\"USDC\"", "\"name\":\"TOK\"")),
        over(["spotMeta"], (answer) => rewritten(answer, "0x6d1e7cde", "0xeb62eee3"))
      ]
      for (const silence of silences) {
        const each = yield* payment()
        yield* exchange.misbehave(over(), silence, silence)
        assert.strictEqual((yield* fill(each, named(solver.address, each.time))).http, 503)
        yield* exchange.misbehave(over(), silence, over())
        assert.deepStrictEqual(outcomeOf(yield* fill(each, named(solver.address, each.time))), [200, "signed"])
      }
      // A ledger does not show the nonce of `usdSend`.
      const refund = yield* usd(user, solver.address, "1")
      yield* map(user, refund.nonce, signed.id)
      yield* exchange.misbehave(over(), over(), over())
      const refunding = {
        ...claim,
        refunds: [{ transactionId: refund.hash, inputIndex: 0, refundIndex: 0 }],
        hints: named(solver.address, refund.time)
      }
      assert.strictEqual((yield* ask("solver-refunds", refunding)).http, 503)
      // A proxy that refuses its key counts as no proxy: the first endpoint's ledger is read too.
      const unknown = yield* startOracle({ EXCHANGEA_PROXY_API_KEY: "another" })
      const last = yield* payment()
      yield* exchange.misbehave(over(), { kind: "down", questions: ["txDetails", "exchangeStatus"] }, over())
      assert.deepStrictEqual(outcomeOf(yield* fill(last, named(solver.address, last.time), unknown.url)), [
        200,
        "signed"
      ])
      // When the explorer answers, no ledger is read.
      yield* exchange.misbehave({ kind: "down", questions: ledger }, { kind: "down", questions: ledger }, {
        kind: "down",
        questions: ledger
      })
      assert.deepStrictEqual(outcomeOf(yield* ask("solver-refunds", refunding)), [200, "signed"])
      yield* exchange.misbehave()
    }))

  it.effect("lying, slow or absent endpoints are tolerated; the quota's proxy counts as one voice; it is listed and ready", () =>
    Effect.gen(function*() {
      const { askDeposits, depository, exchange, hubIsAway, map, oracle, startOracle, usd, user } = yield* Running
      const depositing = Effect.gen(function*() {
        const sent = yield* usd(user, depository.address, "5")
        yield* map(user, sent.nonce, idOf("c3"))
        return sent.hash
      })
      const richer: ExchangeFault = {
        kind: "lie",
        questions: ["txDetails"],
        tell: (answer) => rewritten(answer, "\"amount\":\"5\"", "\"amount\":\"500\"")
      }
      const testnet: ExchangeFault = {
        kind: "lie",
        questions: ["txDetails"],
        tell: (answer) => rewritten(answer, "Mainnet", "Testnet")
      }
      // It still accepts transfers, which are sent through it.
      const away: ExchangeFault = { kind: "down", questions: ["txDetails", "exchangeStatus"] }
      const absent: ExchangeFault = {
        kind: "lie",
        questions: ["txDetails"],
        tell: () => ({ type: "error", message: "Transaction not found" })
      }
      const faults: ReadonlyArray<ExchangeFault> = [
        richer,
        testnet,
        absent,
        { kind: "hang" },
        { kind: "down" },
        { kind: "status", status: 500 },
        { kind: "lie", tell: () => null },
        { kind: "status", status: 200, body: { type: "error", message: "internal" } }
      ]
      for (const fault of faults) {
        yield* exchange.misbehave(undefined, fault)
        assert.deepStrictEqual(depositedOf(yield* askDeposits(yield* depositing)).map(([, , , amount]) => amount), [
          "500000000"
        ], JSON.stringify(fault))
      }
      yield* exchange.misbehave(richer, absent, away)
      assert.notStrictEqual((yield* askDeposits(yield* depositing)).http, 200)
      // All endpoints are on another network, so none of them counts.
      yield* exchange.misbehave(testnet, testnet, testnet)
      const foreign = yield* askDeposits(yield* depositing)
      assert.deepStrictEqual([foreign.http, foreign.retryable], [503, true])
      yield* exchange.misbehave({ kind: "down" }, { kind: "down" })
      const lost = yield* askDeposits(yield* depositing)
      assert.deepStrictEqual([lost.http, lost.retryable], [503, true])
      const quotas: ReadonlyArray<ExchangeFault> = [{ kind: "status", status: 429, questions: ["txDetails"] }, {
        kind: "status",
        status: 200,
        body: QUOTA_BODY,
        questions: ["txDetails"]
      }]
      for (const quota of quotas) {
        const asked = exchange.proxied()
        yield* exchange.misbehave(quota, { kind: "down" })
        assert.lengthOf((yield* askDeposits(yield* depositing)).messages ?? [], 1)
        assert.isAbove(exchange.proxied(), asked)
        // Two endpoints over their quota share one proxy, which counts once.
        yield* exchange.misbehave(quota, quota, away)
        assert.strictEqual((yield* askDeposits(yield* depositing)).http, 503)
      }
      yield* exchange.misbehave()
      const get = (path: string) =>
        Effect.promise(() => fetch(`${oracle.url}${path}`).then((response) => response.text()))
      assert.include(
        yield* get("/chains/v1"),
        `{"id":"exchangea-local","vmType":"exchangea-vm","depository":"${depository.address.toLowerCase()}"}`
      )
      assert.include(
        yield* get("/ready/v1"),
        "\"id\":\"exchangea-local\",\"observed\":true,\"needed\":2,\"endpoints\":3,\"answering\":3,\"weak\":false,\"withdrawals\":3,\"companions\":[{\"name\":\"mappings\",\"answering\":true}]"
      )
      // Without mappings nothing on the exchange can be attested. A refused key counts as no service.
      const unready = (url: string) =>
        Effect.promise(() => fetch(`${url}/ready/v1`).then((response) => response.text()))
      hubIsAway(true)
      const told = yield* unready(oracle.url)
      hubIsAway(false)
      const stranger = yield* unready((yield* startOracle({ EXCHANGEA_HUB_API_KEY: "another" })).url)
      for (const text of [told, stranger]) {
        assert.include(text, "\"companions\":[{\"name\":\"mappings\",\"answering\":false}]")
        assert.notMatch(text, /127\.0\.0\.1|s3cret|another/)
      }
      assert.notInclude(oracle.log().join("\n"), "s3cret")
    }))
})
