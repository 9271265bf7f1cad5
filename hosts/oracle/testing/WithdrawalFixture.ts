/**
 * The fixture for withdrawals: a chain with a depository and a hub with its gate, both real, whose clock is a day
 * behind the machine's; an oracle in a process of its own, with three endpoints of the chain and one of the hub, each
 * of which can lie; an owner, an allocator, and the actions of a withdrawal's parties. Blocks are mined only for
 * transactions.
 */
import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { Effect, Result, Schema } from "effect"
import { encodeFunctionData, hexToBytes, toHex } from "viem"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi as depositoryAbi } from "../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { executeData, request as callRequest, sign } from "../../../adapters/ethereum/contracts/testing/Requests.ts"
import type { Request } from "../../../adapters/ethereum/contracts/testing/Requests.ts"
import { viemHex } from "../../../adapters/ethereum/rpc/ViemHex.ts"
import { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { alias } from "../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../src/domain/hub/HubTokenId.ts"
import { issuanceHash } from "../../../src/domain/hub/Issuance.ts"
import { encodeWithdrawal, withdrawalId } from "../../../src/domain/families/Withdrawals.ts"
import { withdrawalAddress } from "../../../src/domain/hub/withdrawal/WithdrawalAddress.ts"
import { initiationHash } from "../../../src/domain/hub/withdrawal/WithdrawalInitiation.ts"
import { addressOf, hubAddressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { deploy, deployHub } from "../../localnet/nodes/ethereum/Deployment.ts"
import { generate } from "../../localnet/run/state/Keys.ts"
import { partiesOf } from "../../localnet/run/Network.ts"
import { chainIdOf } from "../../localnet/run/Slug.ts"
import { post, reader, sendCall } from "../../transfer/testing/Client.ts"
import { startOracleInstance } from "../../transfer/testing/HostInstance.ts"
import { lyingNode } from "../../transfer/testing/LyingNode.ts"
import { heldOnHub, submitTo } from "../../transfer/testing/Gate.ts"

export const NATIVE = `0x${"00".repeat(20)}` as const

const alphaRef = { slug: ChainSlug.make("alpha"), family: families["ethereum-vm"], network: "mainnet" } as const
const { parse, parseCurrency } = addressCodec("ethereum-vm")
export const native = Result.getOrThrow(parseCurrency(NATIVE))
export const ethOnHub = Result.getOrThrow(hubTokenId(alphaRef, native))

const HexText = Schema.TemplateLiteral(["0x", Schema.String])

const Execution = Schema.Struct({
  idempotencyKey: HexText,
  actions: Schema.Array(HexText),
  signatures: Schema.Array(
    Schema.Struct({
      oracleChainId: Schema.String,
      oracleContract: Schema.String,
      oracleSigner: Schema.String,
      signature: HexText
    })
  )
})
export type Execution = typeof Execution.Type

/** The answers of all three withdrawal routes, and of deposits. */
const Answer = Schema.Struct({
  message: Schema.optionalKey(Schema.Union([
    Schema.String,
    Schema.Struct({
      data: Schema.Record(Schema.String, Schema.Json),
      result: Schema.Record(Schema.String, Schema.Json),
      signature: Schema.optionalKey(Schema.Struct({ oracle: Schema.String, signature: HexText }))
    })
  ])),
  execution: Schema.optionalKey(Execution),
  reason: Schema.optionalKey(Schema.String),
  retryable: Schema.optionalKey(Schema.Boolean),
  confirmations: Schema.optionalKey(Schema.Int),
  needed: Schema.optionalKey(Schema.Int)
})

/** The answer, with the members that tests read. */
export interface Answered extends Omit<typeof Answer.Type, "message"> {
  readonly http: number
  /** 0 pending, 1 executed, 2 expired. */
  readonly status: unknown
  readonly result: Readonly<Record<string, unknown>>
  readonly message: typeof Answer.Type["message"]
}

const DAY = 86_400

export const startFixture = Effect.gen(function*() {
  const keys = yield* generate
  const parties = partiesOf(keys)
  const genesis = Math.floor(Date.now() / 1_000) - DAY
  const start = (slug: "alpha" | "hub", args: ReadonlyArray<string>) =>
    Anvil.start({ chainId: chainIdOf[slug], accounts: 0, args })
  const { alpha, hub } = yield* Effect.all({
    alpha: start("alpha", ["--timestamp", `${genesis}`]),
    hub: start("hub", [])
  }, { concurrency: 2 })
  yield* Effect.all([deploy(alpha, parties), deployHub(hub, parties)], { concurrency: 2 })
  const nodes = yield* Effect.forEach([1, 2, 3], () => lyingNode(alpha.url))
  const hubNode = yield* lyingNode(hub.url)
  const environment = {
    ENVIRONMENT: "local",
    CHAINS: "alpha",
    ALPHA_RPC_URL: nodes.map(({ url }) => url).join(","),
    HUB_RPC_URL: hubNode.url,
    HUB_ALLOCATOR: parties.allocator,
    ECDSA_PRIVATE_KEY: keys.oracle,
    HTTP_PORT: `${yield* anyFree}`
  }
  const oracle = yield* startOracleInstance(environment)
  const [ownerKey = "0x", submitterKey = "0x"] = keys.accounts
  const owner = privateKeyToAccount(ownerKey)
  const allocator = privateKeyToAccount(keys.allocator)
  const accountOfKey = (privateKey: Hex) => ({ address: privateKeyToAccount(privateKey).address, privateKey })
  const depository = addressOf("Depository")
  const gate = hubAddressOf("OracleGate")
  const ownerAlias = Result.getOrThrow(alias(alphaRef, owner.address.toLowerCase()))

  const askOf = (url: string) =>
    Effect.fnUntraced(function*(path: string, body: unknown) {
      const answer = yield* post(`${url}/attestations/${path}/v1`, body)
      const said = Schema.decodeUnknownSync(Answer)(answer.json())
      const result = typeof said.message === "object" ? said.message.result : {}
      return {
        ...said,
        http: answer.status,
        result,
        status: result["status"],
        message: said.message
      } satisfies Answered
    })
  const ask = askOf(oracle.url)

  const submit = (execution: Execution) => submitTo(hub, submitterKey, execution)
  const held = (account: string) => heldOnHub(hub, viemHex(account), ethOnHub)
  const finalise = (anvil: Anvil) => anvil.mine(2)

  /** Gives the owner's alias this amount on the hub, by a deposit of its own. */
  const credit = Effect.fnUntraced(function*(amount: bigint) {
    const { transactionHash } = yield* sendCall(alpha, ownerKey, {
      to: depository,
      data: encodeFunctionData({
        abi: depositoryAbi,
        functionName: "depositNative",
        args: [owner.address, toHex(0, { size: 32 })]
      }),
      value: amount
    })
    yield* finalise(alpha)
    const { execution } = yield* ask("depository-deposits", { chainId: "alpha", transactionId: transactionHash })
    if (execution !== undefined) yield* submit(execution)
    yield* finalise(hub)
  })

  const headTime = Effect.promise(async () => Number((await reader(alpha).getBlock()).timestamp))
  /** Mines one block at this time. */
  const blockAt = (time: number) => Effect.andThen(alpha.request("evm_setNextBlockTimestamp", [time]), alpha.mine())

  /** A claim signed by its owner; `changes` are made after signing. */
  const initiation = (amount: bigint, changes: object = {}) =>
    Effect.promise(async () => {
      const claim = {
        settlementChainId: "hub",
        expectedAmount: amount.toString(),
        chainId: "alpha",
        currency: NATIVE,
        withdrawer: owner.address,
        withdrawerChainId: "alpha",
        recipient: privateKeyToAccount(generatePrivateKey()).address,
        withdrawalNonce: generatePrivateKey()
      }
      const hash = initiationHash({
        settlementChainId: claim.settlementChainId,
        chainId: claim.chainId,
        currency: claim.currency,
        amount: claim.expectedAmount,
        ownerChainId: claim.withdrawerChainId,
        owner: claim.withdrawer,
        recipient: claim.recipient,
        nonce: claim.withdrawalNonce
      })
      const signature = await owner.signMessage({ message: { raw: hexToBytes(hash) } })
      return { claim, body: { ...claim, signature, ...changes } }
    })

  /** The hub account that holds this claim's money. */
  const accountOf = (
    { currency, recipient, withdrawalNonce }: {
      readonly currency: string
      readonly recipient: string
      readonly withdrawalNonce: string
    }
  ) =>
    Result.getOrThrow(withdrawalAddress(alphaRef, {
      depository: depository.toLowerCase(),
      currency,
      recipient: Result.getOrThrow(parse(recipient)),
      ownerAlias,
      nonce: Hex32.make(viemHex(withdrawalNonce))
    }))

  /** The allocator's signatures: of the request for the depository, and of having issued it for a hub account. */
  const issue = Effect.fnUntraced(function*(
    claim: { readonly currency: string; readonly recipient: Hex; readonly withdrawalNonce: Hex },
    amount: bigint,
    expiration: number
  ) {
    const message: Request = callRequest([{ to: claim.recipient, value: amount }], {
      nonce: BigInt(claim.withdrawalNonce),
      expiration: BigInt(expiration)
    })
    const calls = message.calls.map((call) => ({ ...call, to: Result.getOrThrow(parse(call.to)), data: "0x" as never }))
    const withdrawal = { family: "ethereum-vm", request: { ...message, calls } } as const
    const id = Result.getOrThrow(withdrawalId(withdrawal))
    const signature = yield* Effect.promise(() => sign(allocator, depository, alpha.chainId, message))
    const issuance = (
      changes: {
        readonly key?: Hex
        readonly account?: string
        readonly withdrawalId?: Hex32
        readonly hub?: bigint
        readonly gate?: string
      } = {}
    ) =>
      Effect.promise(() => {
        const hash = Result.getOrThrow(issuanceHash({
          hubChainId: changes.hub ?? BigInt(hub.chainId),
          oracleContract: changes.gate ?? gate.toLowerCase(),
          withdrawalAddress: changes.account ?? accountOf(claim),
          withdrawalId: changes.withdrawalId ?? id
        }))
        return privateKeyToAccount(changes.key ?? keys.allocator).signMessage({ message: { raw: hexToBytes(hash) } })
      })
    return {
      id,
      encoded: Result.getOrThrow(encodeWithdrawal(withdrawal)),
      issuance,
      /** Executes it on the chain, which any account may do. */
      execute: sendCall(alpha, submitterKey, { to: depository, data: executeData(message, signature) })
    }
  })

  /** The request body for its status, with the issuance. */
  const asking = Effect.fnUntraced(function*(
    claim: { readonly currency: string; readonly recipient: string; readonly withdrawalNonce: string },
    issued: Effect.Success<ReturnType<typeof issue>>
  ) {
    const withdrawalAddressRequest = {
      chainId: "alpha",
      currency: claim.currency,
      withdrawer: owner.address,
      withdrawerChainId: "alpha",
      recipient: claim.recipient,
      withdrawalNonce: claim.withdrawalNonce,
      issuance: yield* issued.issuance()
    }
    return { chainId: "alpha", withdrawal: issued.encoded, withdrawalAddressRequest }
  })

  /** A withdrawal that was initiated on the hub and issued, and is not executed yet. */
  const begin = Effect.fnUntraced(function*(amount: bigint, expiration: number) {
    const { body, claim } = yield* initiation(amount)
    const { execution } = yield* ask("withdrawal-initiation", body)
    if (execution === undefined || (yield* submit(execution)) !== "success") {
      return yield* Effect.die(new Error("the withdrawal was not initiated"))
    }
    yield* finalise(hub)
    const issued = yield* issue(claim, amount, expiration)
    return { claim, issued, account: accountOf(claim), body: yield* asking(claim, issued) }
  })

  return {
    accounts: keys.accounts.map(accountOfKey),
    allocatorAccount: accountOfKey(keys.allocator),
    alpha,
    hub,
    nodes,
    hubNode,
    oracle,
    environment,
    depository,
    owner,
    ownerAlias,
    allocator,
    oracleAddress: parties.oracle.toLowerCase(),
    ask,
    askOf,
    submit,
    held,
    finalise,
    credit,
    headTime,
    blockAt,
    initiation,
    accountOf,
    issue,
    asking,
    begin
  }
})
