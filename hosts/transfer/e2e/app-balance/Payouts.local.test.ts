/** App balances over HTTP: credited, shown, claimed and withdrawn, each unit once (BALANCE-3, BALANCE-4). */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeDeployData, getContractAddress, keccak256, parseEther, toHex } from "viem"
import type { Address } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import {
  abi as smartAbi,
  bytecode as smartCode
} from "../../../../adapters/ethereum/contracts/artifacts/SmartAllocator.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import {
  ended,
  execute,
  nativeRequest,
  post,
  postQuote,
  quote,
  reader,
  sendCall,
  sendDeposit
} from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { actualOf, SponsoredQuote } from "../../testing/Sponsored.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { marked, transferCall } from "./testing/CreditFixture.ts"
import { askPayout, balanceOf, payoutEnded, refusalOf, sendPayout, signPayout } from "./testing/SignedPayouts.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"

class Running extends fixtureOf<Running>()(
  "test/PayoutsRunning",
  startFixture(startNetwork, { settings: { CREDITS_FROM_BLOCK: "0", ADMIN_TOKEN } })
) {}

const ONE = 1_000_000n

const fresh = (index: number): Address => toHex(0x9a1_0000_0000n + BigInt(index), { size: 20 })

/** Sends a user's USDC to the solver in the name of a wallet, and waits until it is credited. */
const credit = Effect.fnUntraced(function*(index: number, wallet: string, amount: bigint) {
  const { chains: { beta, solver }, key, url } = yield* Running
  const before = BigInt((yield* balanceOf(url, wallet)).amount)
  yield* sendCall(beta, key(index), { to: USDC.address, data: transferCall(solver, amount, marked(wallet)) })
  yield* eventually(
    "the credit is seen",
    balanceOf(url, wallet),
    (balance) => BigInt(balance.amount) === before + amount
  )
})

/** A key that a user's own signature has linked to the user's wallet. */
const linkedKey = Effect.fnUntraced(function*(index: number) {
  const { key, url, user } = yield* Running
  const text = (answer: { readonly json: () => unknown }, field: string) =>
    Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))(answer.json())[field] as string
  const own = {
    "x-api-key": text(
      yield* post(`${url}/api-keys`, { label: "an app" }, { authorization: `Bearer ${ADMIN_TOKEN}` }),
      "key"
    )
  }
  const message = text(yield* post(`${url}/api-keys/wallets/challenge`, { wallet: user(index) }, own), "message")
  const signature = yield* Effect.promise(() => privateKeyToAccount(key(index)).signMessage({ message }))
  assert.strictEqual((yield* post(`${url}/api-keys/wallets`, { message, signature }, own)).status, 200)
  return own
})

const Statement = Schema.Struct({
  entries: Schema.Array(Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    at: Schema.String,
    postings: Schema.Array(
      Schema.Struct({ account: Schema.String, chainId: Schema.Int, currency: Schema.String, amount: Schema.String })
    )
  })),
  continuation: Schema.optionalKey(Schema.String)
})

/** The statement of a wallet in pages of this size, newest first. */
const statementOf = Effect.fnUntraced(function*(wallet: string, own: Readonly<Record<string, string>>, limit: number) {
  const { url } = yield* Running
  const entries: Array<typeof Statement.Type["entries"][number]> = []
  let continuation: string | undefined = ""
  while (continuation !== undefined) {
    const next: string = continuation === "" ? "" : `&continuation=${encodeURIComponent(continuation)}`
    const answer = yield* get(`${url}/app-fees/${wallet}/statement?limit=${limit}${next}`, { headers: own })
    assert.strictEqual(answer.status, 200, answer.text)
    const page = Schema.decodeUnknownSync(Statement)(answer.json())
    entries.push(...page.entries)
    continuation = page.continuation
  }
  return entries
})

/** Every transaction of the solver on beta that ends with an id. */
const paymentsNaming = Effect.fnUntraced(function*(id: string) {
  const { chains: { beta, solver } } = yield* Running
  return yield* Effect.promise(async () => {
    const client = reader(beta)
    const heights = Array.from({ length: Number(await client.getBlockNumber()) + 1 }, (_, height) => BigInt(height))
    const blocks = await Promise.all(
      heights.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true }))
    )
    return blocks.flatMap(({ transactions }) => transactions).filter(({ from, input }) =>
      from === solver.toLowerCase() && input.endsWith(id.slice(2))
    )
  })
})

layer(Running.layer, { excludeTestServices: true })("the balance of a wallet", (it) => {
  it.effect("is an amount of the settlement token for any wallet, zero for an unknown one, and refused for an invalid one", () =>
    Effect.gen(function*() {
      const { chains: { beta, solver }, url, user } = yield* Running
      const empty = yield* balanceOf(url, fresh(0))
      const currency = {
        chainId: beta.chainId,
        address: USDC.address.toLowerCase(),
        symbol: "USDC",
        name: "USD Coin",
        decimals: 6
      }
      const nothing = { currency, amount: "0", amountFormatted: "0.0", amountUsd: "0.000000", minimumAmount: "0" }
      assert.deepStrictEqual(empty, {
        ...nothing,
        balances: [nothing],
        totalBalanceUsd: "0.000000",
        availableBalanceUsd: "0.000000",
        claimable: [],
        pending: [],
        owed: []
      })
      const refused = yield* get(`${url}/app-fees/0x1234/balances`)
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(Object.keys(refused.json() as object), ["message"])
      yield* credit(9, user(9), 3n * ONE / 2n)
      const credited = yield* balanceOf(url, user(9).toLowerCase())
      const amount = {
        currency,
        amount: "1500000",
        amountFormatted: "1.5",
        amountUsd: "1.500000",
        minimumAmount: "1500000"
      }
      assert.deepStrictEqual(credited, {
        ...amount,
        balances: [amount],
        totalBalanceUsd: "1.500000",
        availableBalanceUsd: "1.500000",
        claimable: [],
        pending: [],
        owed: []
      })
      const { settlement } = (yield* get(`${url}/chains`)).json() as { settlement: object }
      assert.deepStrictEqual(settlement, {
        chainId: beta.chainId,
        token: currency.address,
        solver: solver.toLowerCase()
      })
    }))

  it.effect("is withdrawn only by what the wallet signed, to the unit, once, whoever submits it", () =>
    Effect.gen(function*() {
      const { chains, key, url, user } = yield* Running
      yield* credit(0, user(0), 20n * ONE)
      const asked = { kind: "withdraw", recipient: fresh(1), amount: 12n * ONE, nonce: 1n } as const
      const refusal = (changes: object, signer = 0) => refusalOf(url, chains, key(signer), { ...asked, ...changes })
      assert.strictEqual(yield* refusal({ wallet: user(0) }, 1), "400 PAYOUT_WRONG_SIGNATURE")
      assert.strictEqual(yield* refusal({ deadline: 1_700_000_000 }), "400 PAYOUT_EXPIRED")
      assert.strictEqual(yield* refusal({ amount: 20n * ONE + 1n }), "400 PAYOUT_INSUFFICIENT_BALANCE")
      assert.strictEqual(yield* refusal({ amount: 0n }), "400 PAYOUT_INVALID_AMOUNT")
      assert.strictEqual(yield* refusal({ recipient: chains.solver }), "400 PAYOUT_INVALID_RECIPIENT")
      assert.strictEqual(yield* refusal({ recipient: USDC.address }), "400 PAYOUT_INVALID_RECIPIENT")
      assert.strictEqual(
        yield* refusal({ recipient: "0x6e7884c2fc7cd474fccc398dd1cc3d12d69d6bef" }),
        "400 PAYOUT_INVALID_RECIPIENT"
      )
      assert.strictEqual(yield* refusal({ recipient: `0x${"00".repeat(20)}` }), "400 PAYOUT_INVALID_RECIPIENT")
      assert.strictEqual(yield* refusal({ chainId: chains.alpha.chainId }), "400 PAYOUT_UNSUPPORTED_CURRENCY")
      assert.strictEqual(yield* refusal({ amount: 1n }), "400 PAYOUT_TOO_LOW")
      assert.strictEqual(yield* refusal({ kind: "claim" }), "400 PAYOUT_INSUFFICIENT_BALANCE")
      // A signature for one kind, or for one recipient, is not valid for another.
      const signed = yield* signPayout(chains, key(0), asked)
      const altered = [
        post(`${url}${signed.path.replace("withdraw", "claim")}`, signed.body),
        post(`${url}${signed.path}`, { ...signed.body, recipient: fresh(2) }),
        post(`${url}${signed.path}`, { ...signed.body, amount: "1" }),
        post(`${url}${signed.path}`, { ...signed.body, nonce: "2" })
      ]
      for (const each of yield* Effect.all(altered)) assert.include(each.text, "PAYOUT_WRONG_SIGNATURE")
      assert.strictEqual((yield* balanceOf(url, user(0))).amount, `${20n * ONE}`)

      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => post(`${url}${signed.path}`, signed.body),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.lengthOf([...new Set(answers.map((answer) => (answer.json() as { id: string }).id))], 1)
      const payout = yield* askPayout(url, chains, key(0), { ...asked, deadline: signed.body.deadline })
      assert.strictEqual((yield* balanceOf(url, user(0))).amount, `${8n * ONE}`)
      assert.strictEqual(
        yield* refusalOf(url, chains, key(0), { ...asked, recipient: fresh(2) }),
        "400 PAYOUT_NONCE_USED"
      )
      const end = yield* payoutEnded(payout, url)
      assert.strictEqual(end.status, "success")
      assert.deepStrictEqual(end.paid, {
        chainId: chains.beta.chainId,
        currency: USDC.address.toLowerCase(),
        amount: `${12n * ONE}`
      })
      assert.strictEqual(yield* held(chains.beta, USDC, fresh(1)), 12n * ONE)
      const [payment, ...others] = yield* paymentsNaming(payout.id)
      assert.strictEqual(payment?.hash, end.txHash)
      assert.lengthOf(others, 0)
      assert.strictEqual((yield* balanceOf(url, user(0))).amount, `${8n * ONE}`)
    }))

  it.effect("never goes below zero under concurrent withdrawals", () =>
    Effect.gen(function*() {
      const { chains, key, url, user } = yield* Running
      yield* credit(2, user(2), 10n * ONE)
      const one = (n: number) =>
        sendPayout(url, chains, key(2), { kind: "withdraw", recipient: fresh(20), amount: 3n * ONE, nonce: BigInt(n) })
      const answers = yield* Effect.forEach(Array.from({ length: 16 }, (_, n) => n), one, { concurrency: "unbounded" })
      const accepted = answers.filter(({ status }) => status === 200)
      assert.lengthOf(accepted, 3)
      assert.isTrue(
        answers.filter(({ status }) => status !== 200).every(({ status }) => status === 400 || status === 503)
      )
      assert.strictEqual((yield* balanceOf(url, user(2))).amount, `${ONE}`)
      yield* eventually("three are paid", held(chains.beta, USDC, fresh(20)), (units) => units === 9n * ONE)
    }))

  it.effect("of a contract wallet is withdrawn by what its owner signed", () =>
    Effect.gen(function*() {
      const { chains, key, url, user } = yield* Running
      const nonce = yield* Effect.promise(() => reader(chains.beta).getTransactionCount({ address: user(3) }))
      const data = encodeDeployData({ abi: smartAbi, bytecode: smartCode, args: [user(4)] })
      const raw = yield* Effect.promise(() =>
        privateKeyToAccount(key(3)).signTransaction({
          type: "eip1559",
          chainId: chains.beta.chainId,
          nonce,
          data,
          gas: 1_000_000n,
          maxFeePerGas: 10n ** 11n,
          maxPriorityFeePerGas: 1n
        })
      )
      yield* chains.beta.request("eth_sendRawTransaction", [raw])
      yield* Effect.promise(() => reader(chains.beta).waitForTransactionReceipt({ hash: keccak256(raw) }))
      const wallet = getContractAddress({ from: user(3), nonce: BigInt(nonce) })
      yield* credit(3, wallet, 5n * ONE)
      const asked = { kind: "withdraw", recipient: fresh(30), amount: 5n * ONE, nonce: 0n, wallet } as const
      assert.strictEqual(yield* refusalOf(url, chains, key(5), asked), "400 PAYOUT_WRONG_SIGNATURE")
      const payout = yield* askPayout(url, chains, key(4), asked)
      assert.strictEqual((yield* payoutEnded(payout, url)).status, "success")
      assert.strictEqual(yield* held(chains.beta, USDC, fresh(30)), 5n * ONE)
    }))

  it.effect("contains app fees in each currency, paid as they are on the settlement chain, and in its token for those of another chain", () =>
    Effect.gen(function*() {
      const { chains, chains: { alpha, beta }, key, url, user } = yield* Running
      const appFees = [{ recipient: user(6), fee: "100" }]
      const native = yield* quote(
        url,
        nativeRequest(user(5), alpha, beta, parseEther("1"), { recipient: fresh(40), appFees })
      )
      yield* sendDeposit(alpha, key(5), native)
      const token = yield* quote(url, {
        ...nativeRequest(user(7), beta, alpha, 200n * ONE, { recipient: fresh(41), appFees }),
        originCurrency: USDC.address,
        destinationCurrency: USDC.address
      })
      yield* execute(beta, key(7), token)
      assert.strictEqual((yield* ended(url, native)).status, "success")
      assert.strictEqual((yield* ended(url, token)).status, "success")
      const booked = yield* eventually(
        "both fees are booked",
        balanceOf(url, user(6)),
        ({ claimable }) => claimable.length === 2
      )
      assert.strictEqual(booked.amount, "0", "app fees are no app balance before they are claimed")
      const inEther = booked.claimable.find(({ currency }) => currency.symbol === "ETH")
      assert.strictEqual(inEther?.amount, `${parseEther("0.01")}`)
      assert.deepStrictEqual(
        booked.balances.map(({ amount, currency: { chainId, symbol } }) => [chainId, symbol, amount]),
        [
          [beta.chainId, "USDC", `${2n * ONE}`],
          [alpha.chainId, "ETH", `${parseEther("0.01")}`]
        ]
      )

      const ofToken = { kind: "claim", recipient: fresh(42), amount: 2n * ONE, nonce: 7n } as const
      assert.strictEqual(
        yield* refusalOf(url, chains, key(6), { ...ofToken, amount: 2n * ONE + 1n }),
        "400 PAYOUT_INSUFFICIENT_BALANCE"
      )
      const first = yield* askPayout(url, chains, key(6), ofToken)
      const second = yield* askPayout(url, chains, key(6), {
        kind: "claim",
        recipient: fresh(43),
        amount: parseEther("0.01"),
        nonce: 8n,
        chainId: alpha.chainId,
        currency: ETH.address
      })
      assert.deepStrictEqual(second.paid.currency, USDC.address.toLowerCase())
      assert.strictEqual((yield* payoutEnded(first, url)).status, "success")
      assert.strictEqual((yield* payoutEnded(second, url)).status, "success")
      assert.strictEqual(yield* held(beta, USDC, fresh(42)), 2n * ONE)
      assert.strictEqual(yield* held(beta, USDC, fresh(43)), BigInt(second.paid.amount))
      // The paid amount is the quoted one.
      const usd = Number(inEther?.amountUsd)
      assert.isAtMost(Math.abs(Number(second.paid.amount) / 1e6 - usd), usd * 0.001)
      assert.deepStrictEqual((yield* balanceOf(url, user(6))).claimable, [])
    }))

  it.effect("of a sponsor who is paid app fees that it sponsors itself never pays out more than came in", () =>
    Effect.gen(function*() {
      const { chains, chains: { alpha, beta }, key, url, user } = yield* Running
      const wallet = user(8)
      const own = yield* linkedKey(8)
      yield* credit(8, wallet, 30n * ONE)
      // User, sponsor and recipient of the app fee are the same: ten percent of the transfer, sponsored by itself.
      const asked = {
        ...nativeRequest(wallet, alpha, beta, 100n * ONE, {
          recipient: fresh(50),
          appFees: [{ recipient: wallet, fee: "1000" }]
        }),
        originCurrency: USDC.address,
        destinationCurrency: USDC.address,
        subsidizeFees: true,
        maxSubsidizationAmount: `${25n * ONE}`
      }
      const quoted = Schema.decodeUnknownSync(SponsoredQuote)((yield* postQuote(url, asked, own)).json())
      assert.strictEqual(quoted.feeSponsorship.quoted.components["app"]?.sponsored.amount, `${10n * ONE}`)
      yield* execute(alpha, key(8), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const actual = yield* eventually(
        "the sponsorship is settled",
        actualOf(url, quoted),
        (settled) => settled !== undefined
      )
      const draw = BigInt(actual?.sponsorPayment.amount ?? "0")
      assert.isTrue(draw > 0n && draw < ONE, `${draw}`)

      // The whole amount was delivered. The app fee is the sponsor's debt to itself, which was never received.
      assert.strictEqual(yield* held(beta, USDC, fresh(50)), 100n * ONE)
      const left = 30n * ONE - draw
      const balance = yield* balanceOf(url, wallet)
      assert.deepStrictEqual(balance.claimable, [])
      assert.strictEqual(balance.amount, `${left}`)
      assert.deepStrictEqual(balance.balances.map(({ amount }) => amount), [`${left}`])
      const claim = (changes: object) =>
        refusalOf(url, chains, key(8), { kind: "claim", recipient: fresh(51), amount: ONE, nonce: 1n, ...changes })
      assert.strictEqual(yield* claim({}), "400 PAYOUT_INSUFFICIENT_BALANCE")
      assert.strictEqual(yield* claim({ chainId: alpha.chainId }), "400 PAYOUT_INSUFFICIENT_BALANCE")
      assert.strictEqual(
        yield* refusalOf(url, chains, key(8), { kind: "withdraw", recipient: fresh(51), amount: left + 1n, nonce: 1n }),
        "400 PAYOUT_INSUFFICIENT_BALANCE"
      )
      const payout = yield* askPayout(url, chains, key(8), {
        kind: "withdraw",
        recipient: fresh(51),
        amount: left,
        nonce: 1n
      })
      assert.strictEqual((yield* payoutEnded(payout, url)).status, "success")
      assert.strictEqual(yield* claim({}), "400 PAYOUT_INSUFFICIENT_BALANCE")
      assert.strictEqual(yield* held(beta, USDC, fresh(51)), left)

      // Every movement is listed, at any page size, and only to the linked key. The sum is zero.
      const entries = yield* statementOf(wallet, own, 2)
      assert.deepStrictEqual(entries, yield* statementOf(wallet, own, 200))
      const sum = (account: string) =>
        entries.flatMap(({ postings }) => postings).filter((posting) => posting.account === account).reduce(
          (all, { amount }) => all + BigInt(amount),
          0n
        )
      assert.deepStrictEqual(["balance", "held", "payout", "appFees"].map(sum), [0n, 0n, 0n, 0n])
      assert.deepStrictEqual([sum("appFeesOwed"), sum("appFeesPending")], [-10n * ONE, 10n * ONE])
      assert.strictEqual(entries.at(-1)?.kind, "credit")
      const statuses = yield* Effect.forEach(
        [{}, { "x-api-key": "unknown" }, yield* linkedKey(9)],
        (headers) => get(`${url}/app-fees/${wallet}/statement`, { headers })
      )
      assert.deepStrictEqual(statuses.map(({ status }) => status), [401, 401, 403])
    }))

  it.effect("of a sponsor pays the app fees that it took over by what the wallet signed, once, and only then can their recipient claim them", () =>
    Effect.gen(function*() {
      const { chains, chains: { alpha, beta }, key, url, user } = yield* Running
      const [sponsor, recipient] = [user(1), user(2).toLowerCase()]
      yield* credit(1, sponsor, 30n * ONE)
      const asked = {
        ...nativeRequest(sponsor, alpha, beta, 100n * ONE, {
          recipient: fresh(60),
          appFees: [{ recipient, fee: "1000" }]
        }),
        originCurrency: USDC.address,
        destinationCurrency: USDC.address,
        subsidizeFees: true,
        maxSubsidizationAmount: `${25n * ONE}`
      }
      const quoted = Schema.decodeUnknownSync(SponsoredQuote)(
        (yield* postQuote(url, asked, yield* linkedKey(1))).json()
      )
      yield* execute(alpha, key(1), quoted)
      const actual = yield* eventually(
        "the sponsorship is settled",
        actualOf(url, quoted),
        (settled) => settled !== undefined
      )
      const left = 30n * ONE - BigInt(actual?.sponsorPayment.amount ?? "0")
      const owed = Effect.map(
        balanceOf(url, sponsor),
        (balance) => balance.owed.map((each) => [each.recipient, each.currency.symbol, each.amount])
      )
      const pending = Effect.map(balanceOf(url, recipient), (balance) => balance.pending.map(({ amount }) => amount))
      assert.deepStrictEqual([yield* owed, yield* pending], [[[recipient, "USDC", `${10n * ONE}`]], [`${10n * ONE}`]])
      const claim = { kind: "claim", recipient: fresh(61), amount: ONE, nonce: 60n } as const
      assert.strictEqual(yield* refusalOf(url, chains, key(2), claim), "400 PAYOUT_INSUFFICIENT_BALANCE")

      const paying = { kind: "settle", recipient: user(2), amount: 4n * ONE, nonce: 1n } as const
      const refusal = (changes: object, signer = 1) => refusalOf(url, chains, key(signer), { ...paying, ...changes })
      assert.strictEqual(yield* refusal({ amount: 10n * ONE + 1n }), "400 PAYOUT_NOT_OWED")
      assert.strictEqual(yield* refusal({ recipient: fresh(62) }), "400 PAYOUT_NOT_OWED")
      assert.strictEqual(yield* refusal({ amount: 0n }), "400 PAYOUT_INVALID_AMOUNT")
      assert.strictEqual(yield* refusal({ amount: 9_999n }), "400 PAYOUT_TOO_LOW")
      assert.strictEqual(yield* refusal({ deadline: 1_700_000_000 }), "400 PAYOUT_EXPIRED")
      assert.strictEqual(yield* refusal({ wallet: sponsor }, 2), "400 PAYOUT_WRONG_SIGNATURE")
      const signed = yield* signPayout(chains, key(1), paying)
      const asWithdrawal = yield* signPayout(chains, key(1), { ...paying, kind: "withdraw" })
      assert.include((yield* post(`${url}${signed.path}`, asWithdrawal.body)).text, "PAYOUT_WRONG_SIGNATURE")
      assert.include((yield* post(`${url}${asWithdrawal.path}`, signed.body)).text, "PAYOUT_WRONG_SIGNATURE")
      assert.strictEqual((yield* balanceOf(url, sponsor)).amount, `${left}`)

      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => post(`${url}${signed.path}`, signed.body),
        { concurrency: "unbounded" }
      )
      const [answer] = answers.map(({ text }) => text)
      assert.deepStrictEqual(answers.map(({ status, text }) => [status, text]), answers.map(() => [200, answer]))
      const { id, settledAt, ...row } = JSON.parse(answer ?? "{}") as Record<string, unknown>
      assert.match(String(id), /^0x[0-9a-f]{64}$/)
      assert.isBelow(Math.abs(Date.parse(String(settledAt)) - Date.now()), 60_000)
      assert.deepStrictEqual(row, {
        wallet: sponsor.toLowerCase(),
        recipient,
        nonce: "1",
        paid: { chainId: beta.chainId, currency: USDC.address.toLowerCase(), amount: `${4n * ONE}` },
        owed: `${6n * ONE}`
      })
      assert.strictEqual(yield* refusal({ amount: 5n * ONE }), "400 PAYOUT_NONCE_USED")
      assert.strictEqual((yield* balanceOf(url, sponsor)).amount, `${left - 4n * ONE}`)
      assert.deepStrictEqual([yield* owed, yield* pending], [[[recipient, "USDC", `${6n * ONE}`]], [`${6n * ONE}`]])
      assert.strictEqual(
        yield* refusalOf(url, chains, key(2), { ...claim, amount: 4n * ONE + 1n }),
        "400 PAYOUT_INSUFFICIENT_BALANCE"
      )
      const claimed = yield* askPayout(url, chains, key(2), { ...claim, amount: 4n * ONE })
      // Money that was withdrawn cannot pay.
      const withdrawn = yield* askPayout(url, chains, key(1), {
        kind: "withdraw",
        recipient: fresh(63),
        amount: left - 5n * ONE,
        nonce: 60n
      })
      assert.strictEqual(yield* refusal({ amount: 6n * ONE, nonce: 2n }), "400 PAYOUT_INSUFFICIENT_BALANCE")
      for (const payout of [claimed, withdrawn]) assert.strictEqual((yield* payoutEnded(payout, url)).status, "success")
      assert.strictEqual(yield* held(beta, USDC, fresh(61)), 4n * ONE)
      assert.strictEqual((yield* sendPayout(url, chains, key(1), { ...paying, amount: ONE, nonce: 2n })).status, 200)
      assert.deepStrictEqual([yield* owed, (yield* balanceOf(url, sponsor)).amount], [[[
        recipient,
        "USDC",
        `${5n * ONE}`
      ]], "0"])
    }))
})
