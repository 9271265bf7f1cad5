/**
 * Requests generated from the oracle's API document against a real host: every answer is one that the document
 * declares, in its shape; no 500, no hang, and no access without a key. Failures print the seed, which replays the run.
 */
import { addressCodec } from "../../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import * as fc from "fast-check"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Hex } from "../../../../src/domain/encoding/Hex.ts"
import { encodeWithdrawal } from "../../../../src/domain/families/Withdrawals.ts"
import { initiationHash } from "../../../../src/domain/hub/withdrawal/WithdrawalInitiation.ts"
import { anySeed } from "../../../../scripts/testing/Seed.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { readDocument } from "../../../http/testing/ApiDocument.ts"
import type { Operation } from "../../../http/testing/ApiDocument.ts"
import { fuzzRequests } from "../../../http/testing/FuzzRequests.ts"
import type { FuzzRequest } from "../../../http/testing/FuzzRequests.ts"
import { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { deployHub } from "../../../localnet/nodes/ethereum/Deployment.ts"
import { chainIdOf } from "../../../localnet/run/Slug.ts"
import { ended, execute, nativeRequest, post, QuoteAnswer } from "../../../transfer/testing/Client.ts"
import { startOracleInstance } from "../../../transfer/testing/HostInstance.ts"
import { startNetwork } from "../../../transfer/testing/TransferNetwork.ts"
import { OracleApi } from "../../endpoints/OracleApi.ts"

const KEY = "a-key"
const HANG_MS = 60_000
const BATCH = 500

const document = readDocument(OpenApi.fromApi(OracleApi))

const Protocol = Schema.Struct({
  protocol: Schema.Struct({
    v2: Schema.Struct({
      orderId: Schema.String,
      orderData: Schema.Record(Schema.String, Schema.Json),
      orderSignature: Schema.String
    })
  })
})
const Attested = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ result: Schema.Struct({ onchainId: Schema.String }) }))
})

interface Answered {
  readonly status: number
  readonly fault: string | undefined
}

const send = async (
  url: string,
  key: string,
  { body, headers, operation, url: path }: FuzzRequest
): Promise<Answered> => {
  try {
    const response = await fetch(`${url}${path}`, {
      method: operation.method,
      headers: { ...headers, "x-api-key": key },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(HANG_MS)
    })
    const text = await response.text()
    const { status } = response
    const isUnforeseen = status >= 500
    return {
      status,
      fault: document.faultOf(operation, status, response.headers.get("content-type") ?? "", text) ??
        (isUnforeseen ? text : undefined)
    }
  } catch (error) {
    return { status: 0, fault: String(error) }
  }
}

/**
 * Requests that are refused at the first check test nothing, so valid requests must get through too, some of them only
 * after a while.
 */
const throughs = [
  "depository-deposits/v1 200",
  "solver-fills/v1 200",
  "solver-refunds/v1 400",
  "depository-withdrawals/v1 200",
  "withdrawal-initiation/v1 400",
  "withdrawal-initiated/v1 400"
]
const PATIENCE = 4

describe("the oracle under requests made from its document", () => {
  it.live("answers every one as the document declares", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, startInstance } = yield* startNetwork
      const transfer = yield* startInstance()
      const hub = yield* Anvil.start({ chainId: chainIdOf.hub, accounts: 0 })
      yield* deployHub(hub, chains.parties)
      yield* hub.mine(3)
      const { url } = yield* startOracleInstance({
        ENVIRONMENT: "local",
        CHAINS: "alpha,beta",
        ALPHA_RPC_URL: chains.alpha.url,
        BETA_RPC_URL: chains.beta.url,
        HUB_RPC_URL: hub.url,
        HUB_ALLOCATOR: chains.parties.allocator,
        ECDSA_PRIVATE_KEY: generatePrivateKey(),
        API_KEYS: `${KEY}:fuzz`,
        HTTP_PORT: `${yield* anyFree}`
      })
      // A real transfer, so that claims reach the judges.
      const user = chains.users[0] ?? "0x"
      const quote = yield* post(`${transfer.url}/quote`, {
        ...nativeRequest(privateKeyToAccount(user).address, chains.alpha, chains.beta, 10n ** 17n),
        includeProtocolData: true
      })
      const quoted = Schema.decodeUnknownSync(QuoteAnswer)(quote.json())
      const [deposited] = yield* execute(chains.alpha, user, quoted)
      const deposit = deposited?.transactionHash ?? "0x"
      const fill = (yield* ended(transfer.url, quoted)).txHashes[0] ?? "0x"
      yield* Effect.all([chains.alpha.mine(3), chains.beta.mine(3)])
      const { protocol: { v2 } } = Schema.decodeUnknownSync(Protocol)(quote.json())
      const attested = yield* post(`${url}/attestations/depository-deposits/v1`, {
        chainId: "alpha",
        transactionId: deposit
      }, { "x-api-key": KEY })
      const { messages } = Schema.decodeUnknownSync(Attested)(attested.json())

      const transactions = fc.constantFrom(
        deposit,
        deposit,
        fill,
        deposit.toUpperCase().replace("0X", "0x"),
        `0x${"ab".repeat(32)}`,
        deposit.slice(2)
      )
      const orders = fc.oneof(
        { weight: 3, arbitrary: fc.constant<object>(v2.orderData) },
        // One member of the order is replaced, so it is another order, or not an order.
        {
          weight: 1,
          arbitrary: fc.tuple(fc.constantFrom(...Object.keys(v2.orderData)), fc.jsonValue({ maxDepth: 3 })).map((
            [name, value]
          ) => ({ ...v2.orderData, [name]: value }))
        }
      )
      const claim = fc.record({
        order: orders,
        orderSignature: fc.constantFrom(
          v2.orderSignature,
          v2.orderSignature,
          `${v2.orderSignature.slice(0, -2)}1b`,
          "0x"
        ),
        inputs: fc.array(
          fc.record({
            transactionId: transactions,
            onchainId: fc.constantFrom(messages[0]?.result.onchainId ?? "0x", v2.orderId),
            inputIndex: fc.constantFrom(0, 0, 0, 1)
          }),
          { minLength: 1, maxLength: 2 }
        ),
        hints: fc.constantFrom<object>({}, { "exchangea-vm": { user: "0x", timestamp: 1 } })
      }, { requiredKeys: ["order", "orderSignature", "inputs"] })
      const right = {
        order: v2.orderData,
        orderSignature: v2.orderSignature,
        inputs: [{ transactionId: deposit, onchainId: messages[0]?.result.onchainId ?? "0x", inputIndex: 0 }],
        fill: { transactionId: fill }
      }
      const fills = fc.oneof(
        { weight: 1, arbitrary: fc.constant<object>(right) },
        {
          weight: 7,
          arbitrary: fc.tuple(claim, transactions).map(([one, transactionId]): object => ({
            ...one,
            fill: { transactionId: transactionId === deposit ? fill : transactionId }
          }))
        }
      )
      const account = privateKeyToAccount(user)
      const request = {
        chainId: "alpha",
        currency: `0x${"00".repeat(20)}`,
        withdrawer: account.address,
        withdrawerChainId: "alpha",
        recipient: `0x${"5e".repeat(20)}`,
        withdrawalNonce: `0x${"17".repeat(32)}`
      }
      const encoded = Result.getOrThrow(encodeWithdrawal({
        family: "ethereum-vm",
        request: {
          calls: [{
            to: Result.getOrThrow(addressCodec("ethereum-vm").parse(request.recipient)),
            data: Hex.make("0x"),
            value: 5n,
            allowFailure: false
          }],
          nonce: 1n,
          expiration: 4_000_000_000n
        }
      }))
      const initiation = { ...request, settlementChainId: "hub", expectedAmount: "5" }
      const {
        chainId,
        currency,
        expectedAmount: amount,
        recipient,
        settlementChainId,
        withdrawalNonce: nonce,
        withdrawer: owner,
        withdrawerChainId: ownerChainId
      } = initiation
      const signature = yield* Effect.promise(() =>
        account.signMessage({
          message: {
            raw: initiationHash({ settlementChainId, chainId, currency, amount, ownerChainId, owner, recipient, nonce })
          }
        })
      )
      /** A valid body, or one with one member of itself or of its request replaced by any value. */
      const damaged = (body: object) => {
        const spoilt = fc.tuple(
          fc.constantFrom(...Object.keys(body)),
          fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.stringMatching(/^0x[0-9a-fA-F]{0,80}$/))
        )
        return fc.oneof(fc.constant<object>(body), spoilt.map(([name, value]): object => ({ ...body, [name]: value })))
      }
      const withdrawals = fc.tuple(
        damaged({ chainId: "alpha", withdrawal: encoded }),
        fc.option(damaged({ ...request, issuance: signature }), { nil: undefined }),
        fc.option(transactions, { nil: undefined, freq: 1 })
      ).map(([body, withdrawalAddressRequest, transactionId]) => ({
        ...body,
        ...(withdrawalAddressRequest === undefined ? {} : { withdrawalAddressRequest }),
        ...(transactionId === undefined ? {} : { transactionId })
      }))
      const hints = {
        chainIds: [chains.alpha.chainId],
        textOf: (name: string) => {
          if (name === "chainId") return fc.constantFrom("alpha", "alpha", "beta", "ALPHA", "moon", "constructor")
          return name === "transactionId" ? transactions : undefined
        },
        bodyOf: ({ path }: Operation) => {
          if (path.includes("solver-fills")) return fills
          if (path.includes("depository-withdrawals")) return withdrawals
          if (path.includes("withdrawal-initiation")) return damaged({ ...initiation, signature })
          if (path.includes("withdrawal-initiated")) return damaged(initiation)
          if (!path.includes("solver-refunds")) return undefined
          return fc.tuple(
            claim,
            fc.array(
              fc.record({
                transactionId: transactions,
                inputIndex: fc.constantFrom(0, 1),
                refundIndex: fc.constantFrom(0, 1)
              }),
              { maxLength: 2 }
            )
          )
            .map(([one, refunds]) => ({ ...one, refunds }))
        }
      }

      const seed = anySeed()
      const count = inputs(3_000, 50_000)
      const statuses = new Map<string, number>()
      const missing = () => throughs.filter((through) => !statuses.has(`POST /attestations/${through}`))
      for (let start = 0; start < count || (missing().length > 0 && start < PATIENCE * count); start += BATCH) {
        const requests = fc.sample(fuzzRequests(document, hints), { numRuns: BATCH, seed: seed + start })
        const answers = yield* Effect.forEach(requests, (request, index) =>
          Effect.promise(() => send(url, index % 20 === 0 ? "wrong" : KEY, request)), { concurrency: 16 })
        for (const [index, { fault, status }] of answers.entries()) {
          const request = requests[index]
          const name = `${request?.operation.name} ${status}`
          statuses.set(name, (statuses.get(name) ?? 0) + 1)
          assert.isUndefined(
            fault,
            `seed ${seed + start}, ${request?.operation.name}: ${
              JSON.stringify({ ...request, operation: undefined })
            } → ${status}: ${fault}`
          )
          const isOpen = request?.operation.path === "/lives/v1"
          assert.strictEqual(status === 401, index % 20 === 0 && !isOpen, `${name}, key ${index % 20}`)
        }
      }
      assert.deepStrictEqual(missing(), [])
      assert.strictEqual(
        (yield* Effect.promise(() =>
          fetch(`${url}/lives/v1`)
        )).status,
        200
      )
    })))
})
