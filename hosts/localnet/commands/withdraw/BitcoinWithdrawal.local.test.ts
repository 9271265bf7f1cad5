/** `npm run withdraw -- --chain bitcoin-local`: what transfers from Bitcoin gave the solver on the hub leaves by PSBT. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schedule } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { startBitcoinFixture } from "../../../oracle/testing/BitcoinFixture.ts"
import { valuesOf } from "../../../cli/testing/Words.ts"
import { chainIdOf } from "../../run/Slug.ts"
import * as Screen from "../../../cli/Screen.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import { bitcoinChainId } from "../../nodes/bitcoin/BitcoinChain.ts"
import { keyOfName } from "../../nodes/bitcoin/node/LocalKey.ts"
import type { BitcoinKey } from "../../nodes/bitcoin/node/LocalKey.ts"
import { saying } from "../../nodes/bitcoin/node/Payment.ts"
import { hubAddressOf } from "../../nodes/ethereum/Addresses.ts"
import { localnet as described } from "../demo/testing/Described.ts"
import { flags, plan } from "./Arguments.ts"
import { run } from "./Withdraw.ts"

const AMOUNT = 1_000_000n

const accountOf = ({ address, privateKey }: BitcoinKey) => ({
  address,
  privateKey: Buffer.from(privateKey).toString("hex")
})
const evmAccount = (privateKey: `0x${string}`) => ({ address: privateKeyToAccount(privateKey).address, privateKey })

/** The fixture as a running network. Its owner is the solver. */
const startRunning = Effect.gen(function*() {
  const fixture = yield* startBitcoinFixture({ kind: "open" }, {
    BITCOIN_EXPLORER_CLIENT_ID: "",
    BITCOIN_EXPLORER_CLIENT_SECRET: ""
  })
  const { ask, askDeposits, bitcoin, depository, done, hub, into, keys, order, ownerKey, solver, submit, user } =
    fixture
  /** A transfer's deposit becomes the owner's on the hub. */
  const earn = Effect.gen(function*() {
    const { id, ...claim } = yield* order(AMOUNT, { recipient: user.address, amount: 900_000n })
    const deposit = yield* done(user, into(AMOUNT), saying(id))
    const attested = yield* askDeposits(deposit)
    assert.strictEqual(yield* submit(attested.execution), "success")
    const fill = yield* done(solver, { script: user.script, amount: 900_000n }, saying(id))
    const onchainId = attested.messages?.[0]?.result.onchainId
    const inputs = [{ transactionId: deposit, onchainId, inputIndex: 0 }]
    const filled = yield* ask("solver-fills", { ...claim, inputs, fill: { transactionId: fill } })
    assert.strictEqual(yield* submit(filled.execution), "success")
  })
  const network: Localnet = {
    ...described,
    oracleUrl: fixture.oracle.url,
    bitcoin: {
      id: "bitcoin-local",
      chainId: bitcoinChainId,
      vmType: "bitcoin-vm",
      rpcUrl: bitcoin.url,
      explorerUrl: bitcoin.explorerUrl,
      depository: accountOf(depository),
      faucet: accountOf(bitcoin.chain.faucet),
      accounts: [],
      solver: accountOf(solver)
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

describe("npm run withdraw from Bitcoin", () => {
  it.live(
    "pays a part, then the rest, to the satoshi: the recipient bears the fee, the depository keeps what others have",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { bitcoin, chain, coin, depository, earn, held, hub, network, ownerAlias } = yield* startRunning
        yield* earn
        yield* earn
        // What others have there.
        yield* coin(depository, 5_000n)
        yield* Effect.forkScoped(
          Effect.repeat(Effect.all([bitcoin.mine(), hub.mine()], { concurrency: 2 }), Schedule.spaced("200 millis"))
        )
        const heldBy = (address: string) => chain.ledger.coinsOf(address).reduce((sum, { value }) => sum + value, 0n)
        const withdraw = Effect.fnUntraced(function*(...words: ReadonlyArray<string>) {
          let said = ""
          const screen = Screen.make({ write: (text) => void (said += text) }, {})
          const asked = plan(
            valuesOf(flags, ["--chain", "bitcoin-local", "--owner-chain", "alpha", ...words]),
            network
          )
          const done = yield* Effect.result(Effect.flatMap(Effect.fromResult(asked), (planned) => run(planned, screen)))
          return { failed: Result.isFailure(done) ? done.failure.message : undefined, said }
        })
        const recipient = keyOfName("causeway.test.bitcoin.withdrawn").address
        for (const [words, amount] of [[["--amount", "0.015"], 1_500_000n], [[], 500_000n]] as const) {
          const [before, left] = [heldBy(recipient), heldBy(depository.address)]
          const { failed, said } = yield* withdraw("--recipient", recipient, ...words)
          assert.isUndefined(failed, said)
          assert.include(said, "less the chain's fee")
          assert.include(said, "burnt")
          const arrived = heldBy(recipient) - before
          assert.isTrue(arrived < amount && amount - arrived < 1_000n, `${arrived}`)
          assert.strictEqual(left - heldBy(depository.address), amount)
        }
        assert.strictEqual(yield* held(ownerAlias), 0n)
        assert.strictEqual(heldBy(depository.address), 5_000n)
        assert.include((yield* withdraw()).failed, "npm run demo")
        for (const words of [["--recipient", "0x12"], ["--currency", "USDC"], ["--expire"]]) {
          assert.include((yield* withdraw(...words)).failed, words[0] ?? "")
        }
      }))
  )
})
