import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schedule } from "effect"
import { encodeFunctionData, erc20Abi, toHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../../oracle/testing/WithdrawalFixture.ts"
import { sendCall } from "../../../transfer/testing/Client.ts"
import { addressOf, hubAddressOf } from "../../nodes/ethereum/Addresses.ts"
import { localnet as described } from "../demo/testing/Described.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import * as Screen from "../../../cli/Screen.ts"
import { valuesOf } from "../../../cli/testing/Words.ts"
import { flags, plan } from "./Arguments.ts"
import { run } from "./Withdraw.ts"

const SOME = 10n ** 18n + 7n

/** The fixture as a running network: blocks come on their own, and its owner has a balance on the hub. */
const makeRunning = Effect.gen(function*() {
  const fixture = yield* startFixture
  yield* fixture.credit(SOME)
  yield* Effect.forkScoped(
    Effect.repeat(
      Effect.all([fixture.alpha.mine(), fixture.hub.mine()], { concurrency: 2 }),
      Schedule.spaced("100 millis")
    )
  )
  const address = addressOf("TestUSDC")
  const network: Localnet = {
    ...described,
    oracleUrl: fixture.oracle.url,
    chains: described.chains.map((chain) => ({
      ...chain,
      ...(chain.id === "alpha" ? { chainId: fixture.alpha.chainId, rpcUrl: fixture.alpha.url } : {}),
      depository: addressOf("Depository"),
      tokens: [{ symbol: "USDC", address, decimals: 6 }]
    })),
    hub: {
      rpcUrl: fixture.hub.url,
      chainId: fixture.hub.chainId,
      hubAddress: hubAddressOf("Hub"),
      oracleAddress: hubAddressOf("OracleGate")
    },
    accounts: fixture.accounts,
    solver: fixture.accounts[0] ?? described.solver,
    allocator: fixture.allocatorAccount
  }
  return { ...fixture, network }
})

class Running extends fixtureOf<Running>()("test/WithdrawRunning", makeRunning) {}

layer(Running.layer, { excludeTestServices: true })("npm run withdraw", (it) => {
  const withdraw = Effect.fnUntraced(function*(...words: ReadonlyArray<string>) {
    const { network } = yield* Running
    let said = ""
    const screen = Screen.make({
      write: (text) => {
        said += text
      }
    }, {})
    const outcome = yield* Effect.result(
      run(Result.getOrThrow(plan(valuesOf(flags, ["--owner-chain", "alpha", ...words]), network)), screen)
    )
    return { said, outcome }
  })

  it.effect("pays a part to the given recipient, to the unit, then returns a withdrawal that nobody executes, then pays the rest", () =>
    Effect.gen(function*() {
      const { held, ownerAlias } = yield* Running
      const recipient = privateKeyToAccount(generatePrivateKey()).address
      const part = yield* withdraw("--amount", "0.25", "--recipient", recipient)
      assert.isTrue(Result.isSuccess(part.outcome), part.said)
      for (
        const words of [
          "1.000000000000000007 ETH",
          "initiated 0.25 ETH",
          "issued",
          "0.25 ETH arrived",
          "as executed",
          "burnt"
        ]
      ) assert.include(part.said, words)
      assert.strictEqual(yield* held(ownerAlias), SOME - 25n * 10n ** 16n)
      const expired = yield* withdraw("--amount", "0.5", "--expire")
      assert.isTrue(Result.isSuccess(expired.outcome), expired.said)
      assert.include(expired.said, "given back")
      assert.strictEqual(yield* held(ownerAlias), SOME - 25n * 10n ** 16n)
      const rest = yield* withdraw("--recipient", recipient)
      assert.isTrue(Result.isSuccess(rest.outcome), rest.said)
      assert.strictEqual(yield* held(ownerAlias), 0n)
      // Nothing is left, so no further withdrawal is possible.
      for (const words of [[], ["--amount", "0.1"]]) {
        const { outcome } = yield* withdraw(...words)
        assert.include(Result.isFailure(outcome) ? outcome.failure.message : "", "npm run demo")
      }
    }))

  it.effect("withdraws tokens as well", () =>
    Effect.gen(function*() {
      const { alpha, ask, network, submit } = yield* Running
      const key = network.accounts[0]?.privateKey ?? "0x"
      const depository = addressOf("Depository")
      const usdc = addressOf("TestUSDC")
      const amount = 25_000_001n
      yield* sendCall(alpha, key, {
        to: usdc,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [depository, amount] })
      })
      const deposited = yield* sendCall(alpha, key, {
        to: depository,
        data: encodeFunctionData({
          abi: depositoryAbi,
          functionName: "depositErc20",
          args: [privateKeyToAccount(key).address, usdc, amount, toHex(0, { size: 32 })]
        })
      })
      yield* alpha.mine(2)
      const { execution } = yield* ask("depository-deposits", {
        chainId: "alpha",
        transactionId: deposited.transactionHash
      })
      if (execution === undefined) return yield* Effect.die(new Error("no deposit"))
      yield* submit(execution)
      const { outcome, said } = yield* withdraw(
        "--currency",
        "USDC",
        "--recipient",
        privateKeyToAccount(generatePrivateKey()).address
      )
      assert.isTrue(Result.isSuccess(outcome), said)
      assert.include(said, "25.000001 USDC arrived")
    }))
})
