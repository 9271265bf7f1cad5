/** What public UI kits of this kind of API ask for besides quotes and statuses (ROW-3), on a running host. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, post, quote, sendDeposit } from "../../testing/Client.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { ETH, USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }

class Running extends fixtureOf<Running>()("test/UiKits", startFixture(startNetwork, { settings: { ADMIN_TOKEN } })) {}

interface Row {
  readonly chainId: number
  readonly symbol: string
  readonly vmType: string
}

interface Config {
  readonly enabled: boolean
  readonly solver: { readonly address: string; readonly balance: string; readonly capacityPerRequest: string }
}

layer(Running.layer, { excludeTestServices: true })("the endpoints of UI kits", (it) => {
  const read = Effect.fnUntraced(function*(path: string) {
    const answer = yield* get(`${(yield* Running).url}${path}`)
    return { status: answer.status, body: answer.json(), text: answer.text }
  })

  it.effect("GET /chains tells the local nodes' own endpoints, so that a client can read the chains", () =>
    Effect.gen(function*() {
      const { chains } = yield* Running
      const { body } = yield* read("/chains")
      const told = (body as { readonly chains: ReadonlyArray<{ readonly httpRpcUrl: string }> }).chains
      assert.deepStrictEqual(told.map(({ httpRpcUrl }) => httpRpcUrl), [chains.alpha.url, chains.beta.url])
    }))

  it.effect("POST /currencies/v2 finds currencies; GET /currencies/trending lists what the solver holds", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const found = yield* post(`${url}/currencies/v2`, { term: "usdc", chainIds: [chains.alpha.chainId] })
      const rows = found.json() as ReadonlyArray<Row>
      assert.deepStrictEqual(rows.map(({ chainId, symbol, vmType }) => [chainId, symbol, vmType]), [[
        chains.alpha.chainId,
        "USDC",
        "evm"
      ]])
      assert.strictEqual((yield* post(`${url}/currencies/v2`, { limit: 101 })).status, 400)
      const { body } = yield* read(`/currencies/trending?chainId=${chains.beta.chainId}&limit=2`)
      assert.deepStrictEqual((body as ReadonlyArray<Row>).map(({ symbol }) => symbol), ["ETH", "USDC"])
    }))

  it.effect("GET /currencies/token/price is the price of quotes", () =>
    Effect.gen(function*() {
      const { chains } = yield* Running
      const { chainId } = chains.alpha
      assert.deepStrictEqual((yield* read(`/currencies/token/price?chainId=${chainId}&address=${ETH.address}`)).body, {
        price: 2500
      })
      for (const wrong of [`chainId=1&address=${ETH.address}`, `chainId=${chainId}&address=0x1`]) {
        assert.strictEqual((yield* read(`/currencies/token/price?${wrong}`)).status, 400, wrong)
      }
    }))

  it.effect("GET /config/v2 says what the solver can pay, and when a route is closed", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const path = `/config/v2?originChainId=${chains.alpha.chainId}&destinationChainId=${chains.beta.chainId}`
      const { body } = yield* read(`${path}&currency=usdc`)
      const { enabled, solver } = body as Config
      assert.isTrue(enabled)
      assert.strictEqual(solver.address.toLowerCase(), chains.solver.toLowerCase())
      assert.isTrue(
        BigInt(solver.capacityPerRequest) > 0n && BigInt(solver.capacityPerRequest) <= BigInt(solver.balance)
      )
      // The most is really quoted, one unit more is not.
      for (const [more, status] of [[0n, 200], [1n, 400]] as const) {
        const amount = `${BigInt(solver.capacityPerRequest) + more}`
        const asked = { ...requestOf(yield* Running, 0, [USDC, USDC]), tradeType: "EXACT_OUTPUT", amount }
        const answer = yield* post(`${url}/price`, asked)
        assert.strictEqual(answer.status, status, answer.text)
      }
      const paused = yield* post(`${url}/admin/pauses`, { kind: "chain", chainId: chains.beta.chainId }, admin)
      assert.isFalse(((yield* read(path)).body as Config).enabled)
      const { id } = paused.json() as { readonly id: string }
      yield* get(`${url}/admin/pauses/${encodeURIComponent(id)}`, { method: "DELETE", headers: admin })
      assert.isTrue(((yield* read(path)).body as Config).enabled)
      assert.strictEqual((yield* read(`${path}&currency=gem`)).status, 400)
    }))

  it.effect("the second version's history and status are those of the first, in its words", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, url } = running
      const quoted = yield* quote(url, { ...requestOf(running, 1, [ETH, ETH]), amount: `${parseEther("0.1")}` })
      const id = quoted.steps[0]?.requestId ?? assert.fail("no step")
      const { transactionHash } = yield* sendDeposit(chains.alpha, running.key(1), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const first = yield* read(`/requests?txHash=${transactionHash}`)
      assert.include(first.text, id)
      assert.deepStrictEqual((yield* read(`/requests/v2?hash=${transactionHash}`)).body, first.body)
      assert.strictEqual((yield* read("/requests/v2?user=0x1")).status, 401)
      const { body } = yield* read(`/intents/status?requestId=${id}`)
      const status = body as { readonly updatedAt: number }
      assert.deepStrictEqual((yield* read(`/intents/status/v2?requestId=${id}`)).body, {
        ...status,
        time: status.updatedAt
      })
      const tell = (requestId: string) =>
        post(`${url}/requests/metadata`, { requestId, additionalMetadata: { note: "x" } })
      assert.strictEqual((yield* tell(id)).status, 200)
      assert.strictEqual((yield* tell(`0x${"0".repeat(64)}`)).status, 400)
    }))
})
