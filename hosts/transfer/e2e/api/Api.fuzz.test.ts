/**
 * Requests generated from the OpenAPI document against a real host: no 5xx except a declared 503, no hang, and every
 * answer declared in the document, in its shape. Failures print the seed, which replays the run.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { privateKeyToAccount } from "viem/accounts"
import { anySeed } from "../../../../scripts/testing/Seed.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import openApi from "../../../../docs/openapi.json" with { type: "json" }
import { readDocument } from "../../../http/testing/ApiDocument.ts"
import { fuzzRequests, transferHints } from "../../../http/testing/FuzzRequests.ts"
import type { FuzzRequest } from "../../../http/testing/FuzzRequests.ts"
import { addressFor, payTo } from "../../testing/Addressed.ts"
import { ended, nativeRequest, post, quote, sendDeposit } from "../../testing/Client.ts"
import { ETH } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const document = readDocument(openApi)
const ADMIN_TOKEN = "an admin token of at least 32 characters"
const HANG_MS = 60_000
const BATCH = 500

interface Answered {
  readonly status: number
  readonly fault: string | undefined
}

const send = async (url: string, { body, headers, operation, url: path }: FuzzRequest): Promise<Answered> => {
  try {
    const response = await fetch(`${url}${path}`, {
      method: operation.method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(HANG_MS)
    })
    const text = await response.text()
    if (operation.path === "/admin/pauses" && operation.method === "POST" && response.status === 200) {
      await resume(url, text)
    }
    return {
      status: response.status,
      fault: document.faultOf(operation, response.status, response.headers.get("content-type") ?? "", text) ??
        unforeseen(response.status, text)
    }
  } catch (error) {
    return { status: 0, fault: String(error) }
  }
}

const unforeseen = (status: number, text: string) => status >= 500 && status !== 503 ? text : undefined

/** Resumes what was paused by chance. Otherwise everything after it would be CHAIN_DISABLED. */
const resume = (url: string, text: string) => {
  const { id } = JSON.parse(text) as { readonly id: string }
  return fetch(`${url}/admin/pauses/${encodeURIComponent(id)}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` }
  })
}

/** Requests that fail at the first check test nothing, so some of each kind must succeed. */
const throughs = [
  "POST /quote 200",
  "POST /transactions/index 200",
  "POST /admin/pauses 200",
  "POST /api-keys 200",
  "POST /api-keys/wallets/challenge 200",
  "GET /requests 200",
  "GET /requests/summary 200",
  "POST /webhooks 200",
  "GET /webhooks/deliveries 200",
  "GET /intents/status 200",
  "POST /transactions/deposit-address/reindex 200"
]
const PATIENCE = 4

describe("the API under requests made from its document", () => {
  it.live("answers every one as the document declares", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, startInstance } = yield* startNetwork
      const host = yield* startInstance({ ADMIN_TOKEN })
      const made = yield* post(`${host.url}/api-keys`, { label: "fuzz" }, { authorization: `Bearer ${ADMIN_TOKEN}` })
      const { key: apiKey } = made.json() as { readonly key: string }
      // A real transfer, so that lookups that find something are tested too.
      const key = chains.users[0] ?? "0x"
      const quoted = yield* quote(
        host.url,
        nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, 10n ** 17n)
      )
      const deposit = yield* sendDeposit(chains.alpha, key, quoted)
      const end = yield* ended(host.url, quoted)
      const item = quoted.steps[0]?.items[0]
      const addressed = yield* addressFor(
        host.url,
        nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, ETH.some)
      )
      yield* payTo(chains.alpha, key, addressed.depositAddress, ETH, ETH.some)
      // Otherwise its stream would not end before it does.
      yield* ended(host.url, addressed.quoted)
      const hints = transferHints({
        chainIds: [chains.alpha.chainId, chains.beta.chainId, chains.alpha.chainId, chains.beta.chainId, 1],
        addresses: chains.users.slice(0, 4).map((key) => privateKeyToAccount(key).address),
        depositAddresses: [addressed.depositAddress],
        currencies: [
          `0x${"00".repeat(20)}`,
          `0x${"00".repeat(20)}`,
          "0x156be1ab50fd81b64705911d052a814d79f2b00e",
          "0x501086ca72a0f36872c810057524f8749203d295"
        ],
        hashes: [
          quoted.steps[0]?.requestId ?? "",
          addressed.requestId,
          deposit.transactionHash,
          end.txHashes[0] ?? "",
          `0x${item?.data.data.slice(-64)}`,
          `0x${"00".repeat(32)}`,
          `0x${"ab".repeat(32)}`,
          `0x${"AB".repeat(32)}`
        ],
        adminToken: ADMIN_TOKEN,
        apiKey
      })
      const seed = anySeed()
      const count = inputs(5_000, 50_000)
      const statuses = new Map<string, number>()
      const missing = () => throughs.filter((through) => !statuses.has(through))
      for (let start = 0; start < count || (missing().length > 0 && start < PATIENCE * count); start += BATCH) {
        const requests = fc.sample(fuzzRequests(document, hints), { numRuns: BATCH, seed: seed + start })
        const answers = yield* Effect.forEach(requests, (request) => Effect.promise(() => send(host.url, request)), {
          concurrency: 16
        })
        for (const [index, { fault, status }] of answers.entries()) {
          const request = requests[index]
          const key = `${request?.operation.name} ${status}`
          statuses.set(key, (statuses.get(key) ?? 0) + 1)
          assert.isUndefined(
            fault,
            `seed ${seed + start}, ${request?.operation.name}: ${
              JSON.stringify({ ...request, operation: undefined })
            } → ${status}: ${fault}`
          )
        }
      }
      assert.deepStrictEqual(missing(), [])
      assert.strictEqual(
        (yield* Effect.promise(() => fetch(`${host.url}/ready`))).status,
        200,
        host.output().slice(-2000)
      )
    })))
})
