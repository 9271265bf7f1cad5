/**
 * Deposits by a signature, over HTTP and on real chains: each kind from quote to end, and everything that must not
 * work.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import {
  createTestClient,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  http,
  parseSignature,
  walletActions
} from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as forwarderAbi } from "../../../../adapters/ethereum/contracts/artifacts/Forwarder.ts"
import {
  abi as walletAbi,
  bytecode as walletCode
} from "../../../../adapters/ethereum/contracts/artifacts/SmartAllocator.ts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { abi as permitAbi } from "../../../../adapters/ethereum/contracts/artifacts/TestDAI.ts"
import { addressOf, permit2 } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { nativeRequest, postQuote, reader, sendCall } from "../../testing/Client.ts"
import {
  approve,
  itemOf,
  permitEnded,
  permitRequest,
  permitStatus,
  postSignature,
  quotePermit,
  signItem,
  transactionOf
} from "../../testing/PermitClient.ts"
import type { PermitQuote } from "../../testing/PermitClient.ts"
import { DAI, held, USDC, USDT } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { verified } from "../../testing/Verified.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/Permits", startFixture(startNetwork)) {}

const keyAt = (keys: ReadonlyArray<Hex>, index: number): Hex => keys[index] ?? "0x"

/** A quote for the user with this index, with some changes. */
const asked = Effect.fnUntraced(function*(index: number, currency: TestCurrency, changes: object = {}) {
  const { chains, url } = yield* Running
  const key = keyAt(chains.users, index)
  const user = privateKeyToAccount(key).address
  const { quoted, text } = yield* quotePermit(url, permitRequest(user, chains.alpha, chains.beta, currency, changes))
  return { key, user, quoted, text, item: itemOf(quoted), chains, url }
})

const valueOf = ({ steps }: PermitQuote) => itemOf({ steps } as PermitQuote).data.sign.value

const nonceOf = (index: number) =>
  Effect.gen(function*() {
    const { chains } = yield* Running
    return yield* Effect.promise(() =>
      reader(chains.alpha).getTransactionCount({ address: privateKeyToAccount(keyAt(chains.users, index)).address })
    )
  })

/** A transaction in the name of any account, even a contract. */
const sentAs = (anvil: Anvil, account: Hex, transaction: { readonly to?: Hex; readonly data: Hex }) =>
  Effect.promise(async () => {
    const client = createTestClient({ mode: "anvil", transport: http(anvil.url) }).extend(walletActions)
    await client.impersonateAccount({ address: account })
    await client.setBalance({ address: account, value: 10n ** 21n })
    const hash = await client.sendTransaction({ account, chain: null, ...transaction })
    await client.stopImpersonatingAccount({ address: account })
    return reader(anvil).waitForTransactionReceipt({ hash })
  })

const sentBy = (address: Hex) =>
  Effect.gen(function*() {
    const { chains } = yield* Running
    return yield* Effect.promise(() => reader(chains.alpha).getTransactionCount({ address }))
  })

const Protocol = Schema.fromJsonString(Schema.Struct({
  protocol: Schema.Struct({
    v2: Schema.Struct({
      orderData: Schema.Struct({
        inputs: Schema.Array(Schema.Struct({ refunds: Schema.Array(Schema.Struct({ minimumAmount: Schema.String })) }))
      })
    })
  })
}))
/** The most that a refund of the whole deposit may deduct, by the order of a quote. */
const keptAtMost = (text: string): number =>
  Number(USDC.some) -
  Number(Schema.decodeUnknownSync(Protocol)(text).protocol.v2.orderData.inputs[0]?.refunds[0]?.minimumAmount)

const Worth = Schema.Struct({ details: Schema.Struct({ currencyIn: Schema.Struct({ amountUsd: Schema.String }) }) })

/** The dollar price of the native currency, from a quote. */
const nativeDollars = Effect.gen(function*() {
  const { chains, url } = yield* Running
  const answer = yield* postQuote(url, nativeRequest(chains.operator, chains.alpha, chains.beta, 10n ** 17n))
  return Number((yield* Effect.orDie(Schema.decodeUnknownEffect(Worth)(answer.json()))).details.currencyIn.amountUsd) *
    10
})

/** The contract's call for a permit of this quote, by anyone. */
const permittedOf = (user: Hex, token: Hex, amount: bigint, orderId: Hex, deadline: bigint) => ({
  owner: user,
  token,
  amount,
  orderId,
  deadline
})

/**
 * Members that a client need not check or cannot check: texts for the user, states, name and version of the token's
 * domain, deadline and nonce of EIP-2612, gas.
 */
const harmless = new Set([
  "action",
  "description",
  "status",
  "deadline",
  "validBefore",
  "gas",
  "maxFeePerGas",
  "maxPriorityFeePerGas",
  "requestId",
  "endpoint"
])

/**
 * The token itself defines the domain's values and EIP-2612's nonce. With any other value the signature is worthless.
 */
const isTokens = (path: Path, currency: TestCurrency): boolean => {
  const [last, above] = [path.at(-1), path.at(-2)]
  return currency !== USDT &&
    ((above === "domain" && (last === "name" || last === "version")) ||
      (currency === DAI && above === "value" && last === "nonce"))
}

type Path = ReadonlyArray<string | number>

/** The paths of all texts and numbers below a value. */
const leavesOf = (value: unknown, at: Path): ReadonlyArray<Path> => {
  const found = at.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value)
  if (typeof found !== "object" || found === null) return [at]
  return Object.keys(found).flatMap((key) => leavesOf(value, [...at, Array.isArray(found) ? Number(key) : key]))
}

/** A copy with another value at that path: its last digit or letter is changed. */
const edited = (value: unknown, path: Path): unknown => {
  const copy: unknown = structuredClone(value)
  const parent = path.slice(0, -1).reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown>)[key],
    copy
  ) as Record<string | number, unknown>
  const last = path.at(-1) ?? ""
  const old = parent[last]
  parent[last] = typeof old === "number"
    ? old + 1
    : `${String(old).slice(0, -1)}${String(old).endsWith("1") ? "2" : "1"}`
  return copy
}

layer(Running.layer, { excludeTestServices: true })("a deposit by a signature", (it) => {
  for (
    const { currency, kind, steps, user } of [
      { kind: "eip3009", currency: USDC, steps: ["authorize1"], user: 0 },
      { kind: "permit2", currency: USDT, steps: ["approve", "authorize1"], user: 1 },
      { kind: "eip2612", currency: DAI, steps: ["authorize1"], user: 2 }
    ] as const
  ) {
    it.effect(`${kind}: delivers what the quote says, and the user sends nothing but an approval`, () =>
      Effect.gen(function*() {
        const { chains, item, key, quoted, url, user: address } = yield* asked(user, currency)
        assert.deepStrictEqual(quoted.steps.map(({ id }) => id), [...steps])
        assert.strictEqual(item.data.post.body["kind"], kind)
        const before = yield* Effect.all([held(chains.alpha, currency, address), held(chains.beta, currency, address)])
        yield* approve(chains.alpha, key, quoted)
        const sent = yield* nonceOf(user)
        const posted = yield* postSignature(url, item, yield* signItem(key, item))
        assert.strictEqual(posted.status, 200, posted.text)
        const end = yield* permitEnded(url, item)
        assert.strictEqual(end.status, "success", JSON.stringify(end))
        const after = yield* Effect.all([held(chains.alpha, currency, address), held(chains.beta, currency, address)])
        assert.strictEqual(before[0] - after[0], BigInt(quoted.details.currencyIn.amount))
        assert.strictEqual(after[1] - before[1], BigInt(quoted.details.currencyOut.amount))
        assert.strictEqual(yield* nonceOf(user), sent)
        const deposit = yield* transactionOf(chains.alpha, end.inTxHashes[0] ?? "0x")
        assert.strictEqual(deposit.from.toLowerCase(), chains.operator.toLowerCase())
        assert.strictEqual(deposit.to?.toLowerCase(), addressOf("Forwarder").toLowerCase())
        // The Forwarder keeps neither money nor allowances.
        assert.strictEqual(yield* held(chains.alpha, currency, addressOf("Forwarder")), 0n)
        const left = yield* Effect.promise(() =>
          reader(chains.alpha).readContract({
            abi: erc20Abi,
            address: currency.address,
            functionName: "allowance",
            args: [addressOf("Forwarder"), addressOf("Depository")]
          })
        )
        assert.strictEqual(left, 0n)
      }))
  }

  it.effect("the origin's gas and originGasOverhead are in the execution fee", () =>
    Effect.gen(function*() {
      const sent = (yield* asked(3, USDC, { usePermit: true })).quoted
      const more = (yield* asked(3, USDC, { originGasOverhead: 1_000_000 })).quoted
      const { chains, url } = yield* Running
      const user = privateKeyToAccount(keyAt(chains.users, 3)).address
      const plain = yield* Effect.promise(async () => {
        const answer = await fetch(`${url}/quote`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(permitRequest(user, chains.alpha, chains.beta, USDC, { usePermit: false }))
        })
        return await answer.json() as PermitQuote
      })
      const gas = ({ fees }: PermitQuote) => BigInt(fees["relayerGas"]?.amount ?? "0")
      assert.isTrue(gas(plain) < gas(sent) && gas(sent) < gas(more), `${gas(plain)} ${gas(sent)} ${gas(more)}`)
      // The effect of the requested overhead: about five times the gas of the usual permit.
      assert.isTrue(gas(more) - gas(sent) > (gas(sent) - gas(plain)) * 4n)
      assert.strictEqual(sent.fees["gas"]?.amount, "0")
    }))

  it.effect("a permit that is posted twice, also concurrently, is submitted once", () =>
    Effect.gen(function*() {
      const { chains, item, key, quoted, url, user } = yield* asked(4, USDC)
      const signature = yield* signItem(key, item)
      const before = yield* held(chains.alpha, USDC, user)
      const sent = yield* Effect.promise(() => reader(chains.alpha).getTransactionCount({ address: chains.operator }))
      const posted = yield* Effect.all(Array.from({ length: 5 }, () => postSignature(url, item, signature)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        posted.map(({ status }) => status),
        [200, 200, 200, 200, 200],
        posted.map(({ text }) => text).join()
      )
      assert.strictEqual((yield* permitEnded(url, item)).status, "success")
      assert.strictEqual((yield* postSignature(url, item, signature)).status, 200)
      yield* Effect.sleep("1 second")
      assert.strictEqual(before - (yield* held(chains.alpha, USDC, user)), BigInt(quoted.details.currencyIn.amount))
      assert.strictEqual(
        yield* Effect.promise(() => reader(chains.alpha).getTransactionCount({ address: chains.operator })),
        sent + 1
      )
    }))

  it.effect("refuses by name: a stranger's signature, another request's, another kind, an unknown request, garbage", () =>
    Effect.gen(function*() {
      const { item, key, url } = yield* asked(5, USDC)
      const other = (yield* asked(5, USDC)).item
      const { chains } = yield* Running
      const refusals = [
        [yield* postSignature(url, item, yield* signItem(keyAt(chains.users, 6), item)), "not the user's signature"],
        // A replay: a signature for one order is worthless for another.
        [yield* postSignature(url, item, yield* signItem(key, other)), "not the user's signature"],
        [yield* postSignature(url, item, yield* signItem(key, item), { kind: "permit2" }), "asks for eip3009"],
        [
          yield* postSignature(url, item, yield* signItem(key, item), { requestId: `0x${"ab".repeat(32)}` }),
          "no such request"
        ],
        [yield* postSignature(url, item, "0x1234"), "not the user's signature"]
      ] as const
      for (const [answer, words] of refusals) {
        assert.strictEqual(answer.status, 400, answer.text)
        const { errorCode, message } = answer.json() as { readonly errorCode: string; readonly message: string }
        assert.strictEqual(errorCode, "PERMIT_FAILED")
        assert.include(message, words)
      }
      assert.strictEqual((yield* postSignature(url, item, yield* signItem(key, item), { kind: "eip1" })).status, 400)
      assert.strictEqual((yield* permitStatus(url, item)).status, "waiting")
    }))

  it.effect("refuses an expired permit, and a missing balance or approval", () =>
    Effect.gen(function*() {
      const { item, key, url } = yield* asked(6, USDC, { permitExpiry: 21 })
      const signature = yield* signItem(key, item)
      yield* Effect.sleep("2 seconds")
      const late = yield* postSignature(url, item, signature)
      assert.strictEqual(late.status, 400)
      assert.include(late.text, "expired")

      const unapproved = yield* asked(6, USDT)
      const answer = yield* postSignature(url, unapproved.item, yield* signItem(key, unapproved.item))
      assert.include(answer.text, "approve step first")

      const poor = yield* asked(6, USDC)
      const everything = yield* held(poor.chains.alpha, USDC, poor.user)
      const away = encodeFunctionData({
        abi: erc20Abi,
        functionName: "transfer",
        args: [privateKeyToAccount(keyAt(poor.chains.users, 7)).address, everything]
      })
      yield* sendCall(poor.chains.alpha, key, { to: USDC.address, data: away })
      assert.include(
        (yield* postSignature(url, poor.item, yield* signItem(key, poor.item))).text,
        "below the permit's amount"
      )
    }))

  it.effect("a deposit counts whoever submits it: a front-runner's is filled, and a later post is refused as used", () =>
    Effect.gen(function*() {
      const { chains, item, key, quoted, url, user } = yield* asked(7, USDC)
      const signature = yield* signItem(key, item)
      const value = valueOf(quoted)
      const data = encodeFunctionData({
        abi: forwarderAbi,
        functionName: "depositWithAuthorization",
        args: [
          permittedOf(
            user,
            USDC.address,
            BigInt(String(value["value"])),
            String(value["nonce"]) as Hex,
            BigInt(String(value["validBefore"]))
          ),
          signature
        ]
      })
      yield* sendCall(chains.alpha, keyAt(chains.users, 8), { to: addressOf("Forwarder"), data })
      const posted = yield* postSignature(url, item, signature)
      assert.strictEqual(posted.status, 400)
      assert.include(posted.text, "used already")
      assert.strictEqual((yield* permitEnded(url, item)).status, "success")
    }))

  it.effect("EIP-2612: a permit that someone submitted before still deposits, and nobody can take its allowance", () =>
    Effect.gen(function*() {
      const { chains, item, key, quoted, url, user } = yield* asked(8, DAI)
      const signature = yield* signItem(key, item)
      const value = valueOf(quoted)
      const { r, s, yParity } = parseSignature(signature)
      const spender = String(value["spender"]) as Hex
      const data = encodeFunctionData({
        abi: permitAbi,
        functionName: "permit",
        args: [user, spender, BigInt(String(value["value"])), BigInt(String(value["deadline"])), 27 + yParity, r, s]
      })
      yield* sendCall(chains.alpha, keyAt(chains.users, 9), { to: DAI.address, data })
      const posted = yield* postSignature(url, item, signature)
      assert.strictEqual(posted.status, 200, posted.text)
      assert.strictEqual((yield* permitEnded(url, item)).status, "success")
    }))

  it.effect("a permit that comes too late for its price is refused, and nothing is submitted", () =>
    Effect.gen(function*() {
      const { chains, item, key, url, user } = yield* asked(9, USDC, { ttl: 1 })
      const sent = yield* sentBy(chains.operator)
      const before = yield* held(chains.alpha, USDC, user)
      yield* Effect.sleep("3 seconds")
      const posted = yield* postSignature(url, item, yield* signItem(key, item))
      assert.strictEqual(posted.status, 400)
      assert.include(posted.text, "TTL_EXPIRED")
      assert.include(posted.text, "ask for a new quote")
      yield* Effect.sleep("1 second")
      assert.deepStrictEqual([yield* sentBy(chains.operator), yield* held(chains.alpha, USDC, user)], [sent, before])
      assert.strictEqual((yield* permitStatus(url, item)).status, "waiting")
    }))

  it.effect("a permit whose deposit is refunded pays for its submission, within what the order lets a refund keep", () =>
    Effect.gen(function*() {
      const refundTo = "0x000000000000000000000000000000000000f00e"
      const { chains, item, key, text, url } = yield* asked(9, USDC, {
        refundTo,
        referrer: "force-refund",
        refundOnOrigin: true,
        includeProtocolData: true
      })
      assert.strictEqual((yield* postSignature(url, item, yield* signItem(key, item))).status, 200)
      const end = yield* permitEnded(url, item)
      assert.strictEqual(end.status, "refund", JSON.stringify(end))
      const receipts = yield* Effect.forEach(
        [end.inTxHashes[0], end.txHashes[0]],
        (hash = "0x") => Effect.promise(() => reader(chains.alpha).getTransactionReceipt({ hash }))
      )
      const [submission = 0n, refund = 0n] = receipts.map(({ effectiveGasPrice, gasUsed }) =>
        effectiveGasPrice * gasUsed
      )
      const kept = USDC.some - (yield* held(chains.alpha, USDC, refundTo))
      const dollars = yield* nativeDollars
      const worth = (wei: bigint) => (Number(wei) / 1e18) * dollars * 1e6
      assert.isAbove(Number(kept), worth(submission) + 0.8 * worth(refund))
      assert.isBelow(Number(kept), 3 * worth(submission + refund))
      // Oracles sign for it: the order leaves room for the submission in addition to a refund.
      assert.isAtMost(Number(kept), keptAtMost(text))
      const plain = yield* quotePermit(
        url,
        permitRequest(chains.operator, chains.alpha, chains.beta, USDC, {
          usePermit: false,
          refundTo,
          refundOnOrigin: true,
          includeProtocolData: true
        })
      )
      assert.isAbove(keptAtMost(text) - keptAtMost(plain.text), worth(submission))
    }))

  it.effect("a contract wallet signs with any bytes that it accepts (EIP-1271)", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const [key, stranger] = [keyAt(chains.users, 4), keyAt(chains.users, 5)]
      const owner = privateKeyToAccount(key).address
      const made = yield* sentAs(chains.alpha, owner, {
        data: encodeDeployData({ abi: walletAbi, bytecode: walletCode, args: [owner] })
      })
      const wallet = made.contractAddress ?? "0x"
      yield* sendCall(chains.alpha, key, {
        to: USDT.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [wallet, USDT.some] })
      })
      yield* sentAs(chains.alpha, wallet, {
        to: USDT.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [permit2, USDT.some] })
      })
      const { quoted } = yield* quotePermit(url, permitRequest(wallet, chains.alpha, chains.beta, USDT))
      const item = itemOf(quoted)
      assert.include(
        (yield* postSignature(url, item, yield* signItem(stranger, item))).text,
        "not the user's signature"
      )
      const posted = yield* postSignature(url, item, yield* signItem(key, item))
      assert.strictEqual(posted.status, 200, posted.text)
      assert.strictEqual((yield* permitEnded(url, item)).status, "success")
      assert.strictEqual(yield* held(chains.alpha, USDT, wallet), 0n)
    }))

  it.effect("a stranger's dust in the user's name does not affect the order", () =>
    Effect.gen(function*() {
      const { chains, item, key, quoted, url, user } = yield* asked(3, USDC)
      const orderId = String(valueOf(quoted)["nonce"]) as Hex
      const stranger = keyAt(chains.users, 1)
      const dust = 5n
      yield* sendCall(chains.alpha, stranger, {
        to: USDC.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [addressOf("Depository"), dust] })
      })
      const deposit = encodeFunctionData({
        abi: [{
          type: "function",
          name: "depositErc20",
          stateMutability: "nonpayable",
          inputs: [{ name: "depositor", type: "address" }, { name: "token", type: "address" }, {
            name: "amount",
            type: "uint256"
          }, { name: "id", type: "bytes32" }],
          outputs: []
        }],
        functionName: "depositErc20",
        args: [user, USDC.address, dust, orderId]
      })
      yield* sendCall(chains.alpha, stranger, { to: addressOf("Depository"), data: deposit })
      yield* Effect.sleep("1 second")
      assert.strictEqual((yield* permitStatus(url, item)).status, "waiting")
      assert.strictEqual((yield* postSignature(url, item, yield* signItem(key, item))).status, 200)
      assert.strictEqual((yield* permitEnded(url, item)).status, "success")
    }))

  it.effect("a careful client accepts every quote, and refuses any other message, target or approval", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const user = privateKeyToAccount(keyAt(chains.users, 9)).address
      for (const currency of [USDC, USDT, DAI]) {
        const { answer, verify } = yield* verified(
          url,
          chains,
          permitRequest(user, chains.alpha, chains.beta, currency)
        )
        const paths = leavesOf(answer, ["steps"]).filter((path) =>
          !harmless.has(String(path.at(-1))) && !isTokens(path, currency)
        )
        assert.isAbove(paths.length, 20)
        for (const path of paths) {
          const changed = edited(answer, path)
          assert.isFalse(
            verify(changed).ok,
            `${currency.symbol} ${path.join(".")}: ${JSON.stringify(changed).slice(0, 100)}`
          )
        }
      }
    }))

  it.effect("the doctor finds no difference: submitted permits move none of the account's own money", () =>
    Effect.gen(function*() {
      const { environment } = yield* Running
      const { code, error, out } = yield* runOperation("doctor", environment)
      assert.strictEqual(code, 0, `${out}${error}`)
    }))

  it.effect("invalid combinations are refused by name", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const user = privateKeyToAccount(keyAt(chains.users, 0)).address
      const refusal = (changes: object) =>
        Effect.promise(async () => {
          const body = permitRequest(user, chains.alpha, chains.beta, USDC, changes)
          const answer = await fetch(`${url}/quote`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body)
          })
          return `${answer.status} ${(await answer.json() as { readonly message: string }).message}`
        })
      assert.include(yield* refusal({ originCurrency: `0x${"00".repeat(20)}` }), "400 usePermit")
      assert.include(yield* refusal({ useDepositAddress: true }), "cannot be combined with useDepositAddress")
      assert.include(yield* refusal({ explicitDeposit: false }), "cannot be combined with explicitDeposit")
      assert.include(yield* refusal({ usePermit: false, permitExpiry: 60 }), "permitExpiry: needs usePermit")
      assert.include(yield* refusal({ usePermit: false, originGasOverhead: 60 }), "originGasOverhead: needs usePermit")
      assert.include(yield* refusal({ originGasOverhead: 4_000_000 }), "originGasOverhead: at most")
      assert.include(yield* refusal({ permitExpiry: 1_000_000 }), "permitExpiry: at most")
      assert.strictEqual(permit2, "0x000000000022D473030F116dDEE9F6B43aC78BA3")
    }))
})
