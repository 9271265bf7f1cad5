/** `npm run withdraw -- --chain tron-local`: what transfers from Tron gave the solver on the hub leaves the depository. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schedule } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { startTronFixture, TRX } from "../../../oracle/testing/TronFixture.ts"
import { valuesOf } from "../../../cli/testing/Words.ts"
import { chainIdOf } from "../../run/Slug.ts"
import * as Screen from "../../../cli/Screen.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import { hubAddressOf } from "../../nodes/ethereum/Addresses.ts"
import { approve, depositErc20, depositNative, payNative, usdt } from "../../nodes/tron/Deposits.ts"
import { toEvm } from "../../nodes/tron/node/Account.ts"
import { keyOfName } from "../../nodes/tron/node/LocalKey.ts"
import type { TronKey } from "../../nodes/tron/node/LocalKey.ts"
import { allocator, faucet, solver } from "../../nodes/tron/Tron.ts"
import { localnet as described } from "../demo/testing/Described.ts"
import { flags, plan } from "./Arguments.ts"
import { run } from "./Withdraw.ts"

const ONE = 1_000_000n

const accountOf = ({ address, privateKey }: TronKey) => ({ address, privateKey: privateKey.slice(2) })
const evmAccount = (privateKey: `0x${string}`) => ({ address: privateKeyToAccount(privateKey).address, privateKey })

/** The fixture as a running network. Its owner is the solver. */
const startRunning = Effect.gen(function*() {
  const fixture = yield* startTronFixture
  const { ask, askDeposits, done, hub, keys, oracle, order, other, ownerKey, paying, seconds, submit, tron, user } =
    fixture
  /** A transfer's deposit becomes the owner's on the hub. */
  const earn = Effect.fnUntraced(function*(currency: string, amount: bigint) {
    const recipient = keyOfName("causeway.test.tron.earning").address
    const deadline = (yield* seconds) + 86_400
    const { id, ...claim } = yield* order(amount, { recipient, amount: ONE }, deadline, {}, currency)
    if (currency !== TRX) yield* done(() => approve(user, amount, currency))
    const deposit = yield* done(() =>
      currency === TRX ? depositNative(user, id, amount) : depositErc20(user, id, amount, currency)
    )
    const attested = yield* askDeposits(deposit)
    assert.strictEqual(yield* submit(attested.execution), "success")
    const fill = yield* done(() => payNative(paying, recipient, ONE, id))
    const onchainId = attested.messages?.[0]?.result.onchainId
    const inputs = [{ transactionId: deposit, onchainId, inputIndex: 0 }]
    const filled = yield* ask("solver-fills", { ...claim, inputs, fill: { transactionId: fill } })
    assert.strictEqual(yield* submit(filled.execution), "success")
  })
  const network: Localnet = {
    ...described,
    oracleUrl: oracle.url,
    tron: {
      id: "tron-local",
      chainId: tron.chainId,
      vmType: "tron-vm",
      rpcUrl: tron.url,
      jsonRpcUrl: tron.jsonRpcUrl,
      depository: tron.depository,
      router: tron.router,
      vault: tron.vault,
      tokens: [
        { symbol: "USDC", address: tron.usdc, decimals: 6 },
        { symbol: "USDT", address: usdt, decimals: 6 }
      ],
      accounts: [accountOf(user.key), accountOf(other.key)],
      solver: accountOf(solver),
      allocator: accountOf(allocator),
      faucet: accountOf(faucet)
    },
    hub: {
      rpcUrl: hub.url,
      chainId: chainIdOf.hub,
      hubAddress: hubAddressOf("Hub"),
      oracleAddress: hubAddressOf("OracleGate")
    },
    accounts: keys.accounts.map(evmAccount),
    solver: evmAccount(ownerKey),
    allocator: evmAccount(keys.allocator)
  }
  return { ...fixture, earn, network }
})

describe("npm run withdraw from Tron", () => {
  it.live("pays a part and the rest of TRX and tokens, to the unit, USDT too, and gives back what nobody executes", () =>
    Effect.scoped(Effect.gen(function*() {
      const { earn, held, hub, network, ownerAlias, tron } = yield* startRunning
      yield* earn(TRX, 30n * ONE)
      yield* earn(tron.usdc, 20n * ONE)
      yield* earn(usdt, 12n * ONE)
      yield* Effect.forkScoped(
        Effect.repeat(Effect.all([tron.mine(), hub.mine()], { concurrency: 2 }), Schedule.spaced("100 millis"))
      )
      const heldBy = (account: string, currency: string) =>
        Effect.promise(async () => {
          const { evm, ledger: { tip } } = tron.chain
          const holder = toEvm(account)
          if (currency === TRX) return evm.balance(holder, tip.evmHeight)
          const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [holder] })
          return BigInt((await evm.call({ from: holder, to: toEvm(currency), data }, tip.evmHeight)).data)
        })
      const withdraw = Effect.fnUntraced(function*(...words: ReadonlyArray<string>) {
        let said = ""
        const screen = Screen.make({ write: (text) => void (said += text) }, {})
        const asked = plan(valuesOf(flags, ["--chain", "tron-local", "--owner-chain", "alpha", ...words]), network)
        const done = yield* Effect.result(Effect.flatMap(Effect.fromResult(asked), (planned) => run(planned, screen)))
        return { failed: Result.isFailure(done) ? done.failure.message : undefined, said }
      })
      const recipient = keyOfName("causeway.test.tron.withdrawn").address
      for (
        const [currency, words, amount] of [
          [TRX, ["--amount", "10.5"], 10_500_000n],
          [TRX, [], 19_500_000n],
          [tron.usdc, ["--currency", "USDC", "--amount", "7"], 7n * ONE],
          // Its transfer returns false, for the depository as for anybody.
          [usdt, ["--currency", "USDT", "--amount", "4.5"], 4_500_000n],
          [usdt, ["--currency", "USDT"], 7_500_000n]
        ] as const
      ) {
        const [before, left] = [yield* heldBy(recipient, currency), yield* heldBy(tron.depository, currency)]
        const { failed, said } = yield* withdraw("--recipient", recipient, ...words)
        assert.isUndefined(failed, said)
        assert.include(said, "burnt")
        assert.notInclude(said, "less the chain's fee")
        assert.strictEqual((yield* heldBy(recipient, currency)) - before, amount)
        assert.strictEqual(left - (yield* heldBy(tron.depository, currency)), amount)
      }
      assert.deepStrictEqual([yield* held(ownerAlias), yield* held(ownerAlias, usdt)], [0n, 0n])
      assert.include((yield* withdraw()).failed, "npm run demo")
      const expired = yield* withdraw("--currency", "USDC", "--expire")
      assert.isUndefined(expired.failed, expired.said)
      assert.include(expired.said, "given back")
      assert.strictEqual(yield* held(ownerAlias, tron.usdc), 13n * ONE)
      // An owner without an address there is paid at the solver's.
      const before = yield* heldBy(solver.address, tron.usdc)
      assert.isUndefined((yield* withdraw("--currency", "USDC")).failed)
      assert.strictEqual((yield* heldBy(solver.address, tron.usdc)) - before, 13n * ONE)
    })))
})
