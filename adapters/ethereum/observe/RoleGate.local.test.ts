/**
 * Submissions to the role-based kind of gate on a real chain. The oracle with the role is a single account, or a
 * contract where two of three sign. Tested with the domain's versions 1 and 2. Transactions are sent as the worker
 * sends them, and their results are read as the worker reads them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import {
  BaseError,
  createTestClient,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  http,
  isHex,
  keccak256,
  publicActions,
  RpcRequestError,
  stringToBytes,
  walletActions
} from "viem"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Anvil } from "../../../hosts/localnet/nodes/ethereum/Anvil.ts"
import { HubGate } from "../../../ports/hub/HubGate.ts"
import type { Gate, GateForm } from "../../../ports/hub/SettlingHub.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { signDigest } from "../../../src/domain/encoding/Signature.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import { encodeAction } from "../../../src/domain/hub/Action.ts"
import { executionDigest } from "../../../src/domain/hub/Execution.ts"
import type { SignedCall } from "../../../src/domain/hub/settling/Packing.ts"
import { abi as hubAbi, bytecode as hubCode } from "../contracts/artifacts/Hub.ts"
import { abi as multisigAbi, bytecode as multisigCode } from "../contracts/artifacts/MultisigOracle.ts"
import { abi as gateAbi, bytecode as gateCode } from "../contracts/artifacts/RoleGate.ts"
import { EthereumEndpoints } from "../rpc/EthereumRpc.ts"
import * as EthereumRpc from "../rpc/EthereumRpc.ts"
import * as EthereumHubGate from "./HubGate.ts"
import { paymentBody } from "../pay/PaymentTransaction.ts"

const CHAIN_ID = 616_111
const ORACLE_ROLE = keccak256(stringToBytes("ORACLE_ROLE"))
const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const lower = (text: string) => Address.make(text.toLowerCase())

const fixture = Effect.gen(function*() {
  const anvil = yield* Anvil.start({ chainId: CHAIN_ID, accounts: 0 })
  const account = privateKeyToAccount(generatePrivateKey())
  yield* anvil.setBalance(account.address, 10n ** 20n)
  const client = createTestClient({ mode: "anvil", account, transport: http(anvil.url), pollingInterval: 5 }).extend(
    publicActions
  ).extend(walletActions)
  const send = Effect.fnUntraced(function*(to: Hex | undefined, data: Hex) {
    const hash = yield* Effect.promise(() =>
      client.sendTransaction({ ...(to === undefined ? {} : { to }), data, gas: 5_000_000n, chain: null })
    )
    yield* anvil.mine()
    return yield* Effect.promise(() => client.waitForTransactionReceipt({ hash }))
  })
  const create = (data: Hex) =>
    Effect.map(send(undefined, data), ({ contractAddress }) => contractAddress ?? assert.fail("not deployed"))
  const hub = yield* create(encodeDeployData({ abi: hubAbi, bytecode: hubCode, args: [account.address] }))
  const keys = [1, 2, 3, 4].map(generatePrivateKey).toSorted((one, two) =>
    privateKeyToAccount(one).address.toLowerCase() < privateKeyToAccount(two).address.toLowerCase() ? -1 : 1
  )
  const signers = keys.map((key) => lower(privateKeyToAccount(key).address))
  // The fourth signer belongs to no oracle.
  const multisig = yield* create(
    encodeDeployData({
      abi: multisigAbi,
      bytecode: multisigCode,
      args: [signers.slice(0, 3) as ReadonlyArray<Hex>, 2n]
    })
  )
  const deployed = Effect.fnUntraced(function*(version: string) {
    const gate = yield* create(
      encodeDeployData({ abi: gateAbi, bytecode: gateCode, args: [hub, account.address, "RelayOracle", version] })
    )
    yield* send(hub, encodeFunctionData({ abi: hubAbi, functionName: "setGate", args: [gate, true] }))
    for (const oracle of [signers[0], multisig]) {
      yield* send(
        gate,
        encodeFunctionData({ abi: gateAbi, functionName: "grantRole", args: [ORACLE_ROLE, oracle as Hex] })
      )
    }
    return gate
  })
  const endpoints = Layer.succeed(EthereumEndpoints, {
    urls: new Map([[ChainId.make(CHAIN_ID), [Redacted.make(anvil.url)]]])
  })
  const reading = EthereumHubGate.layer.pipe(Layer.provide(EthereumRpc.layer.pipe(Layer.provide(endpoints))))
  return {
    anvil,
    client,
    deployed,
    hub,
    keys,
    multisig: lower(multisig),
    reading,
    send,
    signers,
    owner: lower(account.address)
  }
})

describe("a gate with one oracle role", () => {
  it.live("executes what the worker submits once, with a single signer and with two of three, under either version", () =>
    Effect.scoped(Effect.gen(function*() {
      const { anvil, client, deployed, hub, keys, multisig, owner, reading, send, signers } = yield* fixture
      let next = 0
      for (const version of ["1", "2"]) {
        const gate = yield* deployed(version)
        const at = (form: GateForm): Gate => ({
          chain: { ...alpha, id: ChainId.make(CHAIN_ID) },
          gate: lower(gate),
          form
        })
        const [single, several] = [at({ _tag: "Oracle", multisig: undefined }), at({ _tag: "Oracle", multisig })]
        const ask = <A, E>(look: (gate: HubGate["Service"]) => Effect.Effect<A, E>) =>
          Effect.provide(Effect.flatMap(HubGate, look), reading)
        assert.strictEqual((yield* ask(({ terms }) => terms(single))).threshold, 1)
        assert.strictEqual((yield* ask(({ terms }) => terms(several))).threshold, 2)
        assert.deepStrictEqual(
          [...yield* ask(({ oraclesAmong }) => oraclesAmong(single, signers))],
          signers.slice(0, 1)
        )
        assert.deepStrictEqual(
          [...yield* ask(({ oraclesAmong }) => oraclesAmong(several, signers))],
          signers.slice(0, 3)
        )
        const unknown = at({ _tag: "Oracle", multisig: owner })
        assert.strictEqual(yield* Effect.isFailure(ask(({ terms }) => terms(unknown))), true)

        const signed = (by: ReadonlyArray<Hex>, oracle: Address): SignedCall => {
          next += 1
          const actions = [Result.getOrThrow(encodeAction({ _tag: "Mint", to: owner, tokenId: 7n, amount: 1n }))]
          const idempotencyKey = word(next)
          const digest = Result.getOrThrow(
            executionDigest(
              { name: "RelayOracle", version, chainId: BigInt(CHAIN_ID), verifyingContract: lower(gate) },
              { idempotencyKey, actions }
            )
          )
          return {
            idempotencyKey,
            actions,
            oracle,
            signatures: by.map((key) => Result.getOrThrow(signDigest(digest, Hex32.make(key))))
          }
        }
        const bodyOf = (call: SignedCall) => {
          const orderId = OrderId.make(call.idempotencyKey)
          const chain = single.chain
          return paymentBody({
            _tag: "Submission",
            chain,
            currency: chain.native,
            recipient: lower(gate),
            amount: 0n,
            orderId,
            submission: { gate: lower(gate), calls: [call], together: false }
          }) ?? assert.fail("no body")
        }
        const balance = Effect.promise(() =>
          client.readContract({ address: hub, abi: hubAbi, functionName: "balanceOf", args: [owner as Hex, 7n] })
        )
        const refusal = (data: Hex) =>
          Effect.promise(() =>
            client.call({ to: gate, data }).then(() => "carried out", (error: unknown) => {
              const told = error instanceof BaseError ? error.walk((each) => each instanceof RpcRequestError) : null
              return told instanceof RpcRequestError && isHex(told.data)
                ? decodeErrorResult({ abi: gateAbi, data: told.data }).errorName
                : String(error)
            })
          )
        const [first = "0x", second = "0x", third = "0x", stranger = "0x"] = keys

        for (
          const [hubOf, call] of [[single, signed([first], signers[0] ?? owner)], [
            several,
            signed([first, third], multisig)
          ], [several, signed([second, third, stranger], multisig)]] as const
        ) {
          const before = yield* balance
          const body = bodyOf(call)
          assert.strictEqual((yield* send(body.to, body.data)).status, "success")
          assert.strictEqual(yield* balance, before + 1n)
          const stateOf = Effect.map(
            ask(({ executed }) => executed(hubOf, [call.idempotencyKey, word(9_999)])),
            (states) => [states.get(call.idempotencyKey), states.get(word(9_999))]
          )
          assert.deepStrictEqual(yield* stateOf, ["carried-out", "open"])
          // Another submission came first: the gate refuses with a named error, and the worker reads that the execution
          // was done.
          assert.strictEqual(yield* refusal(body.data), "AlreadyExecuted")
          assert.strictEqual((yield* send(body.to, body.data)).status, "reverted")
          assert.strictEqual(yield* balance, before + 1n)
          yield* anvil.mine(200)
          assert.deepStrictEqual(yield* stateOf, ["final", "open"])
        }
        for (
          const [call, why] of [
            [signed([second], signers[1] ?? owner), "UnauthorizedOracle"],
            [signed([second], signers[0] ?? owner), "InvalidSignature"],
            [signed([first], multisig), "InvalidSignature"],
            [signed([third, first], multisig), "InvalidSignature"],
            [signed([first, first], multisig), "InvalidSignature"],
            [signed([first, stranger], multisig), "InvalidSignature"]
          ] as const
        ) assert.strictEqual(yield* refusal(bodyOf(call).data), why)
      }
    })))
})
