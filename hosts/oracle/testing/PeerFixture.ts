/**
 * The peer fixture: a chain with a final deposit, a hub whose gate requires two oracles, and both oracles as separate
 * processes.
 */
import { Effect, Schema } from "effect"
import { encodeFunctionData, toHex } from "viem"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi as depositoryAbi } from "../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { abi as gateAbi } from "../../../adapters/ethereum/contracts/artifacts/OracleGate.ts"
import { addressOf, hubAddressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { deploy, deployHub } from "../../localnet/nodes/ethereum/Deployment.ts"
import { generate } from "../../localnet/run/state/Keys.ts"
import { partiesOf } from "../../localnet/run/Network.ts"
import { chainIdOf } from "../../localnet/run/Slug.ts"
import { post, sendCall } from "../../transfer/testing/Client.ts"
import { startOracleInstance } from "../../transfer/testing/HostInstance.ts"
import { executeCall, heldOnHub } from "../../transfer/testing/Gate.ts"

const HexText = Schema.TemplateLiteral(["0x", Schema.String])

export const CosignedDeposits = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ signature: Schema.Struct({ oracle: Schema.String }) })),
  execution: Schema.Struct({
    idempotencyKey: HexText,
    actions: Schema.Array(HexText),
    metadata: Schema.Array(Schema.Struct({ hubTokenId: Schema.String, oracleContract: Schema.String })),
    signatures: Schema.Array(
      Schema.Struct({
        oracleChainId: Schema.String,
        oracleContract: Schema.String,
        oracleSigner: Schema.String,
        signature: HexText
      })
    )
  }),
  signaturesMissing: Schema.optionalKey(Schema.Int),
  shadow: Schema.optionalKey(Schema.Literal(true))
})
export type CosignedDeposits = typeof CosignedDeposits.Type

export const DEPOSITS = "/attestations/depository-deposits/v1"

/** The key with which the asking oracles authenticate at peers. */
export const PEER_KEY = "key-of-a-peer"

/** The deposit's attestation, with the signatures that the oracle at `url` could gather. */
export const askFor = Effect.fnUntraced(
  function*(
    url: string,
    transactionId: string,
    headers: Readonly<Record<string, string>> = {},
    requestPeerSignatures: unknown = true
  ) {
    const answer = yield* post(`${url}${DEPOSITS}`, { chainId: "alpha", transactionId, requestPeerSignatures }, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`${answer.status} ${answer.text}`))
    return yield* Effect.orDie(Schema.decodeUnknownEffect(CosignedDeposits)(answer.json()))
  }
)

export const signersOf = ({ execution }: CosignedDeposits): ReadonlyArray<string> =>
  execution.signatures.map(({ oracleSigner }) => oracleSigner)

export const accountOf = (key: Hex): string => privateKeyToAccount(key).address.toLowerCase()

export const startPeerFixture = Effect.gen(function*() {
  const keys = yield* generate
  const second = generatePrivateKey()
  const parties = partiesOf(keys)
  const { alpha, hub } = yield* Effect.all({
    alpha: Anvil.start({ chainId: chainIdOf.alpha, accounts: 0 }),
    hub: Anvil.start({ chainId: chainIdOf.hub, accounts: 0 })
  }, { concurrency: "unbounded" })
  yield* Effect.all([deploy(alpha, parties), deployHub(hub, parties)], { concurrency: "unbounded" })
  const user = keys.accounts[0] ?? "0x"
  const gate = hubAddressOf("OracleGate")
  const ofGate = (key: Hex, data: Hex) => sendCall(hub, key, { to: gate, data })
  yield* ofGate(
    keys.allocator,
    encodeFunctionData({ abi: gateAbi, functionName: "setOracle", args: [privateKeyToAccount(second).address, true] })
  )
  yield* ofGate(keys.allocator, encodeFunctionData({ abi: gateAbi, functionName: "setThreshold", args: [2n] }))

  /** Makes a deposit in one transaction, which is final when this returns. */
  const deposit = Effect.fnUntraced(function*(value: bigint) {
    const { transactionHash } = yield* sendCall(alpha, user, {
      to: addressOf("Depository"),
      value,
      data: encodeFunctionData({
        abi: depositoryAbi,
        functionName: "depositNative",
        args: [privateKeyToAccount(user).address, toHex(value, { size: 32 })]
      })
    })
    yield* alpha.mine(3)
    return transactionHash
  })

  const environment = (key: Hex) => ({
    ENVIRONMENT: "local",
    CHAINS: "alpha",
    ALPHA_RPC_URL: alpha.url,
    HUB_RPC_URL: hub.url,
    HUB_ALLOCATOR: privateKeyToAccount(keys.allocator).address,
    ECDSA_PRIVATE_KEY: key
  })
  const start = Effect.fnUntraced(function*(key: Hex, changes: Readonly<Record<string, string>>) {
    return yield* startOracleInstance({ ...environment(key), HTTP_PORT: `${yield* anyFree}`, ...changes })
  })

  const submit = ({ execution }: CosignedDeposits) =>
    Effect.map(sendCall(hub, user, executeCall(execution)), ({ status }) => status).pipe(
      Effect.catchDefect(() => Effect.succeed("reverted" as const))
    )
  const held = (account: string, token: string) => heldOnHub(hub, toHex(BigInt(account), { size: 20 }), BigInt(token))

  return { alpha, deposit, environment, first: keys.oracle, held, second, start, submit, user }
})
