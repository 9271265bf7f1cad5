/** The typed client against a host on real chains: what an integrator's page does, by its example and on its own. */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import { createWalletClient, hexToString, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { transferByFetch } from "./fetch.ts"
import { thereAndBack } from "./local.ts"
import { transferBySdk } from "./sdk.ts"
import { transfer } from "./transfer.ts"
import { fixtureOf } from "../../scripts/testing/FixtureOf.ts"
import { accountOfKey } from "../../src/domain/encoding/Signature.ts"
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import type { Anvil } from "../../hosts/localnet/nodes/ethereum/Anvil.ts"
import { ClientError, createClient, requestIdOf } from "../../hosts/transfer/client/index.ts"
import type { ClientOptions } from "../../hosts/transfer/client/index.ts"
import { ethereumWallet } from "../../hosts/transfer/client/ethereum/index.ts"
import type { Eip1193Provider } from "../../hosts/transfer/client/ethereum/index.ts"
import { knownChains, quoteVerifier } from "../../hosts/transfer/client/verify/index.ts"
import { requestOf, startFixture } from "../../hosts/transfer/testing/Fixture.ts"
import { chainOf } from "../../hosts/transfer/testing/Client.ts"
import { DAI, ETH, held, USDC } from "../../hosts/transfer/testing/Tokens.ts"
import type { TestCurrency } from "../../hosts/transfer/testing/Tokens.ts"
import { startNetwork } from "../../hosts/transfer/testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/TypedClient", startFixture(startNetwork)) {}

const file = new URL("../../configs/chains.local.json", import.meta.url)
const chainsFile: unknown = JSON.parse(readFileSync(file, "utf8"))
const served = ["alpha", "beta"]

/** A wallet's provider over an account of viem, with what a browser's wallet does: it has a current chain. */
const providerOf = (key: `0x${string}`, chains: ReadonlyArray<Anvil>): Eip1193Provider => {
  const account = privateKeyToAccount(key)
  let current = chains[0]?.chainId ?? 0
  const wallet = () => {
    const chain = chains.find(({ chainId }) => chainId === current) ?? assert.fail("no chain")
    return createWalletClient({ account, chain: chainOf(chain), transport: http() })
  }
  return {
    request: async ({ method, params = [] }) => {
      switch (method) {
        case "eth_chainId":
          return `0x${current.toString(16)}`
        case "wallet_switchEthereumChain":
          current = Number((params[0] as { readonly chainId: string }).chainId)
          return null
        case "eth_sendTransaction": {
          const { data, gas, maxFeePerGas, maxPriorityFeePerGas, to, value } = params[0] as Record<
            string,
            `0x${string}`
          >
          const client = wallet()
          return await client.sendTransaction({
            to,
            data,
            value: BigInt(value ?? 0),
            gas: BigInt(gas ?? 0),
            maxFeePerGas: BigInt(maxFeePerGas ?? 0),
            maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas ?? 0)
          })
        }
        case "eth_signTypedData_v4":
          return await account.signTypedData(
            JSON.parse(params[1] as string) as Parameters<typeof account.signTypedData>[0]
          )
        case "personal_sign":
          return await account.signMessage({ message: hexToString(params[0] as `0x${string}`) })
        default:
          return await wallet().request({ method, params } as never)
      }
    }
  }
}

const setUp = Effect.fnUntraced(function*(index: number, options: Partial<ClientOptions> = {}) {
  const running = yield* Running
  const { chains, key, url, user } = running
  const solver = Result.getOrThrow(accountOfKey(Hex32.make(chains.solverKey)))
  const provider = providerOf(key(index), [chains.beta, chains.alpha])
  const client = createClient({
    url,
    verify: quoteVerifier({ known: knownChains(chainsFile, { served }), solver }),
    ...options
  })
  const wallet = ethereumWallet({ provider, account: user(index), pollEvery: 50 })
  const asked = (pair: readonly [TestCurrency, TestCurrency], changes: object = {}) =>
    ({ ...requestOf(running, index, pair), ...changes }) as Parameters<typeof client.getQuote>[0]
  return { asked, chains, client, key: key(index), provider, solver, url, user: user(index), wallet }
})

layer(Running.layer, { excludeTestServices: true })("the typed client", (it) => {
  it.effect("moves a native amount by the example of docs/integrate.md", () =>
    Effect.gen(function*() {
      const { chains, provider, solver, url, user } = yield* setUp(0)
      const before = yield* held(chains.beta, ETH, user)
      const ended = yield* Effect.promise(() =>
        transfer({
          url,
          provider,
          account: user,
          chainsFile,
          served,
          solver,
          from: { chainId: chains.alpha.chainId, currency: ETH.address, amount: `${ETH.some}` },
          to: { chainId: chains.beta.chainId, currency: ETH.address }
        })
      )
      assert.strictEqual(ended.status, "success")
      assert.isAbove(Number((yield* held(chains.beta, ETH, user)) - before), 0)
    }))

  it.effect("is what fetch and viem do, too", () =>
    Effect.gen(function*() {
      const { asked, chains, key, url } = yield* setUp(4)
      const wallet = createWalletClient({
        account: privateKeyToAccount(key),
        chain: chainOf(chains.alpha),
        transport: http()
      })
      const ended = yield* Effect.promise(() => transferByFetch(url, chains.alpha.url, wallet, asked([USDC, ETH])))
      assert.strictEqual(ended, "success")
    }))

  it.effect("is what the public SDK does, too, unmodified, with the chains that it takes from the service", () =>
    Effect.gen(function*() {
      const { chains, key, url, user } = yield* setUp(5)
      const wallet = createWalletClient({
        account: privateKeyToAccount(key),
        chain: chainOf(chains.alpha),
        transport: http()
      })
      for (const [from, to] of [[ETH, ETH], [USDC, ETH]] as const) {
        const before = yield* held(chains.beta, to, user)
        yield* Effect.promise(() =>
          transferBySdk(url, wallet, {
            chainId: chains.alpha.chainId,
            currency: from.address,
            amount: `${from.some}`,
            toChainId: chains.beta.chainId,
            toCurrency: to.address,
            recipient: user
          })
        )
        assert.isTrue((yield* held(chains.beta, to, user)) > before, from.symbol)
      }
    }))

  it.effect("is what both do from a folder of one's own, by what the local network says of itself", () =>
    Effect.gen(function*() {
      const { chains, key, url } = yield* setUp(6)
      const { byFetch, bySdk } = yield* Effect.promise(() =>
        thereAndBack({
          transferUrl: url,
          accounts: [{ privateKey: key }],
          chains: [chains.alpha, chains.beta].map(({ chainId, url: rpcUrl }) => ({ id: "local", chainId, rpcUrl }))
        })
      )
      assert.strictEqual(byFetch, "success")
      const client = createClient({ url, verify: "trust the service" })
      const told = yield* Effect.promise(() => client.call("GET /requests", { query: { id: bySdk ?? "" } }))
      assert.strictEqual(told.requests[0]?.status, "success")
    }))

  it.effect("approves and deposits a token, each once, and shows every state", () =>
    Effect.gen(function*() {
      const { asked, chains, client, user, wallet } = yield* setUp(1)
      const quote = yield* Effect.promise(() => client.getQuote(asked([USDC, USDC])))
      const before = { left: yield* held(chains.alpha, USDC, user), arrived: yield* held(chains.beta, USDC, user) }
      const sent: Array<string> = []
      const states: Array<string> = []
      const ended = yield* Effect.promise(() =>
        client.execute(quote, wallet, {
          onSent: ({ id }) => sent.push(id),
          onStatus: ({ status }) => states.push(status)
        })
      )
      assert.strictEqual(ended.status, "success")
      assert.deepStrictEqual(sent, ["approve", "deposit"])
      assert.strictEqual(states.at(-1), "success")
      assert.strictEqual(before.left - (yield* held(chains.alpha, USDC, user)), BigInt(quote.details.currencyIn.amount))
      assert.strictEqual(
        (yield* held(chains.beta, USDC, user)) - before.arrived,
        BigInt(quote.details.currencyOut.amount)
      )
      const row = yield* Effect.promise(() => client.call("GET /requests", { query: { id: requestIdOf(quote) } }))
      assert.strictEqual(row.requests[0]?.status, "success")
    }))

  it.effect("deposits by a signature", () =>
    Effect.gen(function*() {
      const { asked, client, wallet } = yield* setUp(2)
      const quote = yield* Effect.promise(() => client.getQuote(asked([DAI, USDC], { usePermit: true })))
      assert.deepStrictEqual(quote.steps.map(({ id }) => id), ["authorize1"])
      const ended = yield* Effect.promise(() => client.execute(quote, wallet))
      assert.strictEqual(ended.status, "success")
    }))

  it.effect("pays by no quote that a service, or who stands between, has changed", () =>
    Effect.gen(function*() {
      const stranger = "0x00000000000000000000000000000000deadbeef"
      const changing = (change: (text: string) => string): typeof fetch => async (input, init) => {
        const answer = await fetch(input, init)
        return new Response(change(await answer.text()), answer)
      }
      const { asked, chains, client, solver, user } = yield* setUp(3)
      const good = yield* Effect.promise(() => client.getQuote(asked([ETH, ETH])))
      const to = (good.steps[0]?.items[0]?.data as { readonly to: string } | undefined)?.to ?? assert.fail("no step")
      const lies: ReadonlyArray<(text: string) => string> = [
        (text) => text.replaceAll(to, stranger),
        (text) => text.replaceAll(user.toLowerCase(), stranger),
        // Its own: another quote may have another price.
        (text) =>
          text.replace(/(?<="currencyOut":\{.*?"amount":")([0-9]+)(?=")/u, (amount) => `${BigInt(amount) / 2n}`),
        (text) => text.replaceAll(String(chains.beta.chainId), String(chains.alpha.chainId)),
        () => "{}"
      ]
      for (const change of lies) {
        const lying = yield* setUp(3, { fetch: changing(change) })
        const failure = yield* Effect.promise(() =>
          lying.client.getQuote(asked([ETH, ETH])).then(() => undefined, (error: unknown) => error)
        )
        assert.instanceOf(failure, ClientError, String(change))
        assert.strictEqual(failure.kind, "unverified")
      }
      const foreign = yield* setUp(3, {
        verify: quoteVerifier({ known: knownChains(chainsFile, { served }), solver: stranger })
      })
      const failure = yield* Effect.promise(() =>
        foreign.client.getQuote(asked([ETH, ETH])).then(() => undefined, (error: unknown) => error)
      )
      assert.match(String(failure), /signature failed/u)
      assert.notStrictEqual(stranger, solver)
      // What the client holds its request to be worth, by what it asks for.
      const dearer = yield* setUp(3, {
        verify: quoteVerifier({
          known: knownChains(chainsFile, { served }),
          solver,
          bounds: ({ amount }) => ({ minimumOut: 2n * BigInt(amount) })
        })
      })
      const less = yield* Effect.promise(() =>
        dearer.client.getQuote(asked([ETH, ETH])).then(() => undefined, (error: unknown) => error)
      )
      assert.match(String(less), /client's bound failed/u)
    }))
})
