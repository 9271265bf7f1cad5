/**
 * `npm run demo` from and to the exchanges, and `npm run withdraw -- --chain exchangea-local` and `exchangeb-local`: what
 * these transfers gave the solver on the hub leaves the depository.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { heldOnExchange, PERPS, SPOT } from "../../../transfer/testing/PaidOnExchangeA.ts"
import { MAPPINGS_KEY, startExchangeANetwork } from "../../../transfer/testing/ExchangeANetwork.ts"
import { DEPOSITORY, exchangeBOver, OTHER, TRANSFER_FEE } from "../../../transfer/testing/ExchangeBNetwork.ts"
import type { ExchangeBAccount } from "../../../transfer/testing/ExchangeBNetwork.ts"
import { heldOnExchangeB } from "../../../transfer/testing/PaidOnExchangeB.ts"
import { startFixture } from "../../../transfer/testing/Fixture.ts"
import { ORACLE_KEY, settlingOver } from "../../../transfer/testing/SettlingNetwork.ts"
import { valuesOf } from "../../../cli/testing/Words.ts"
import { EXCHANGE_A_CHAIN_ID, exchangeASlug } from "../../nodes/exchange-a/ExchangeAChain.ts"
import { EXCHANGE_B_CHAIN_ID, exchangeBSlug } from "../../nodes/exchange-b/ExchangeBChain.ts"
import { hubAddressOf } from "../../nodes/ethereum/Addresses.ts"
import { chainIdOf } from "../../run/Slug.ts"
import * as Screen from "../../../cli/Screen.ts"
import type { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import * as Demo from "../demo/Arguments.ts"
import { asset, collateral } from "../demo/DemoChain.ts"
import * as Transfer from "../demo/DemoTransfer.ts"
import { localnet as described } from "../demo/testing/Described.ts"
import { flags, plan } from "./Arguments.ts"
import { run } from "./Withdraw.ts"

const USD = 100_000_000n

const evmAccount = (privateKey: `0x${string}`) => ({ address: privateKeyToAccount(privateKey).address, privateKey })

const indexed = ({ index, owner }: ExchangeBAccount) => ({ index, ...evmAccount(owner) })

/** Both exchanges, a host and a real oracle as a running network. */
const startRunning = Effect.gen(function*() {
  const fixture = yield* startFixture(
    Effect.gen(function*() {
      const exchangeA = yield* startExchangeANetwork
      const exchangeB = yield* exchangeBOver(exchangeA)
      return { ...(yield* settlingOver(exchangeB, 1, 1)), exchangeA, exchangeB }
    }),
    { keys: [MAPPINGS_KEY], settings: ({ settling }) => settling }
  )
  const { chains, environment, exchangeA: { depositoryKey, exchangeUrl, walletKey }, exchangeB, hub, oracles, url } =
    fixture
  const network: Localnet = {
    ...described,
    transferUrl: url,
    oracleUrl: oracles[0]?.direct ?? "",
    demo: { ...described.demo, oracleApiKey: ORACLE_KEY },
    chains: described.chains.map((chain) => {
      const { chainId, url: rpcUrl } = chain.id === "alpha" ? chains.alpha : chains.beta
      return { ...chain, chainId, rpcUrl }
    }),
    exchangeA: {
      id: exchangeASlug,
      chainId: EXCHANGE_A_CHAIN_ID,
      vmType: "exchangea-vm",
      rpcUrl: exchangeUrl,
      depository: evmAccount(depositoryKey),
      accounts: [evmAccount(walletKey)],
      solver: evmAccount(`0x${environment["EXCHANGEA_SOLVER_PRIVATE_KEY"]?.slice(2) ?? ""}`)
    },
    exchangeB: {
      id: exchangeBSlug,
      chainId: EXCHANGE_B_CHAIN_ID,
      vmType: "exchangeb-vm",
      rpcUrl: exchangeB.exchangeUrl,
      depository: indexed(exchangeB.depository),
      accounts: [indexed(exchangeB.wallet)],
      solver: indexed(exchangeB.solver)
    },
    hub: {
      rpcUrl: hub.url,
      chainId: chainIdOf.hub,
      hubAddress: hubAddressOf("Hub"),
      oracleAddress: hubAddressOf("OracleGate")
    },
    accounts: chains.users.map(evmAccount),
    solver: evmAccount(chains.solverKey),
    allocator: evmAccount(chains.allocatorKey)
  }
  return { ...fixture, network }
})

/** What a command prints, and why it failed. */
const printed = <P, A>(
  planned: Result.Result<P, LocalnetError>,
  command: (plan: P, screen: Screen.Screen) => Effect.Effect<A, LocalnetError>
) =>
  Effect.gen(function*() {
    let said = ""
    const screen = Screen.make({ write: (text) => void (said += text) }, {})
    const done = yield* Effect.result(Effect.flatMap(Effect.fromResult(planned), (made) => command(made, screen)))
    return { failed: Result.isFailure(done) ? done.failure.message : undefined, said }
  })

class Running extends fixtureOf<Running>()("test/ExchangeWithdrawals", startRunning) {}

const demo = (...words: ReadonlyArray<string>) =>
  Effect.flatMap(
    Running,
    ({ network }) => printed(Demo.plan(valuesOf(Demo.flags, words), network), Transfer.run)
  )

const withdrawing = (chain: string) => (...words: ReadonlyArray<string>) =>
  Effect.flatMap(
    Running,
    ({ network }) => printed(plan(valuesOf(flags, ["--chain", chain, ...words]), network), run)
  )

const settledDemo = Effect.fnUntraced(function*(...words: ReadonlyArray<string>) {
  const { failed, said } = yield* demo(...words)
  assert.isUndefined(failed, said)
  assert.include(said, "settled")
})

layer(Running.layer, { excludeTestServices: true })("npm run demo and npm run withdraw", (it) => {
  it.effect("transfer with exchange A both ways and by a deposit address, and withdraw a part and the rest, to the unit", () =>
    Effect.gen(function*() {
      const { exchangeA: { book, depository, other }, fresh } = yield* Running
      const from = ["--from", exchangeASlug, "--to", "alpha", "--to-currency", "ETH"]
      yield* settledDemo(...from, "--amount", "100")
      yield* settledDemo(...from, "--amount", "40", "--deposit-address")
      yield* settledDemo(...from, "--amount", "20", "--currency", "USDC-SPOT")
      yield* settledDemo("--from", "alpha", "--to", exchangeASlug, "--amount", "0.05", "--recipient", "new")
      const withdraw = withdrawing(exchangeASlug)
      const recipient = other.address
      for (
        const [currency, words, amount] of [
          [PERPS, ["--amount", "30.5"], 3_050_000_000n],
          [PERPS, [], 140n * USD - 3_050_000_000n],
          [SPOT, ["--currency", "USDC-SPOT"], 20n * USD]
        ] as const
      ) {
        const before = heldOnExchange(book, currency, recipient)
        const left = heldOnExchange(book, currency, depository)
        const { failed, said } = yield* withdraw("--recipient", recipient, ...words)
        assert.isUndefined(failed, said)
        assert.include(said, "burnt")
        assert.strictEqual(heldOnExchange(book, currency, recipient) - before, amount)
        assert.strictEqual(left - heldOnExchange(book, currency, depository), amount)
      }
      assert.include((yield* withdraw()).failed, "npm run demo")
      yield* settledDemo(...from, "--amount", "20")
      const all = heldOnExchange(book, PERPS, depository)
      // The depository would pay for the new account, out of what it owes to others.
      assert.include((yield* withdraw("--recipient", fresh())).failed, "has no account")
      assert.strictEqual(heldOnExchange(book, PERPS, depository), all)
      for (const words of [["--recipient", "0x12"], ["--currency", "DOGE"], ["--expire"]]) {
        assert.include((yield* withdraw(...words)).failed, words[0] ?? "")
      }
    }))

  it.effect("transfer with exchange B both ways, and withdraw a part and the rest: the recipient bears the fee", () =>
    Effect.gen(function*() {
      const { exchangeB: { state } } = yield* Running
      const from = ["--from", exchangeBSlug, "--to", "alpha", "--to-currency", "ETH"]
      yield* settledDemo(...from, "--amount", "100")
      yield* settledDemo(...from, "--amount", "20", "--currency", "USDC-SPOT")
      yield* settledDemo("--from", "alpha", "--to", exchangeBSlug, "--amount", "0.05", "--recipient", "new")
      const withdraw = withdrawing(exchangeBSlug)
      const unit = 1_000_000n
      const held = (currency: string, index: number) => heldOnExchangeB(state, currency, index)
      for (
        const [{ address }, words, amount] of [
          [collateral, ["--amount", "30.5"], 30_500_000n],
          [collateral, [], 100n * unit - 30_500_000n],
          [asset, ["--currency", "USDC-SPOT"], 20n * unit]
        ] as const
      ) {
        const [before, left] = [held(address, OTHER), held(address, DEPOSITORY)]
        const { failed, said } = yield* withdraw("--recipient", `${OTHER}`, ...words)
        assert.isUndefined(failed, said)
        assert.include(said, "less the chain's fee")
        assert.include(said, "burnt")
        assert.strictEqual(held(address, OTHER) - before, amount - BigInt(TRANSFER_FEE))
        assert.strictEqual(left - held(address, DEPOSITORY), amount)
      }
      assert.include((yield* withdraw()).failed, "npm run demo")
      yield* settledDemo(...from, "--amount", "20")
      const all = held(collateral.address, DEPOSITORY)
      assert.include((yield* withdraw("--recipient", "999999")).failed, "has no account")
      assert.strictEqual(held(collateral.address, DEPOSITORY), all)
      for (const words of [["--recipient", "0x12"], ["--currency", "DOGE"], ["--expire"]]) {
        assert.include((yield* withdraw(...words)).failed, words[0] ?? "")
      }
    }))
})
