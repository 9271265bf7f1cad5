/**
 * Finds out from a token which signatures of its owners it accepts. Its EIP-712 domain is the one whose separator
 * equals the token's own DOMAIN_SEPARATOR. A kind is supported when the token answers a function that only this kind
 * has.
 *
 * A token that accepts every call and does nothing (a fallback) returns no word, and so supports no kind. A token's
 * abilities are cached for a while. An owner's nonce is read every time.
 */
import { addressCodec } from "../../../src/domain/families/index.ts"
import { Effect, Layer, Result } from "effect"
import {
  BaseError,
  ContractFunctionExecutionError,
  domainSeparator,
  erc20Abi,
  keccak256,
  parseAbi,
  stringToHex
} from "viem"
import type { Hex, PublicClient } from "viem"
import { PermitTokens } from "../../../ports/chain/PermitTokens.ts"
import type { PermitStanding, PermitWay } from "../../../ports/chain/PermitTokens.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { PermitDomain, PermitTerms } from "../../../src/domain/permit/Permit.ts"
import type { Permitted } from "../../../src/domain/permit/PermitSpender.ts"
import { permitSpender } from "../../../src/domain/permit/PermitSpender.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"

const abi = parseAbi([
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function nonces(address owner) view returns (uint256)",
  "function PERMIT_TYPEHASH() view returns (bytes32)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"
])

const permit2Abi = parseAbi(["function nonceBitmap(address owner, uint256 word) view returns (uint256)"])

/** The versions to try for tokens that state none. */
const USUAL_VERSIONS = ["1", "2"] as const

/** How long a token's abilities are cached. */
const REMEMBERED_MS = 600_000

type Ability = Pick<PermitWay, "kind" | "domain" | "verifier">

/** A contract's answer. Undefined when it has no such function. A node that does not answer is an error instead. */
const ask = async <A>(asked: Promise<A>): Promise<A | undefined> => {
  try {
    return await asked
  } catch (error) {
    const answered = error instanceof ContractFunctionExecutionError &&
      error.walk((cause) =>
          cause instanceof BaseError &&
          [
            "ContractFunctionRevertedError",
            "ContractFunctionZeroDataError",
            "AbiDecodingDataSizeTooSmallError",
            "AbiDecodingZeroDataError",
            "PositionOutOfBoundsError",
            "InvalidBytesBooleanError"
          ].includes(cause.name)
        ) !== null
    if (answered) return undefined
    throw error
  }
}

/** The domain that the token signs in. Undefined when it is none of the known ones. */
const domainOf = async (client: PublicClient, chain: Chain, token: Hex): Promise<PermitDomain | undefined> => {
  const contract = { abi, address: token }
  const [separator, name, version] = await Promise.all([
    ask(client.readContract({ ...contract, functionName: "DOMAIN_SEPARATOR" })),
    ask(client.readContract({ ...contract, functionName: "name" })),
    ask(client.readContract({ ...contract, functionName: "version" }))
  ])
  if (separator === undefined || name === undefined) return undefined
  return [...(version === undefined ? [] : [version]), ...USUAL_VERSIONS]
    .map((each) => ({ name, version: each }))
    .find((domain) =>
      domainSeparator({ domain: { ...domain, chainId: chain.id, verifyingContract: token } }) === separator
    )
}

const NO_NONCE = `0x${"00".repeat(32)}` as const

/** The type hash of EIP-2612. A token with another one has another form of permit, as DAI on Ethereum does. */
const PERMIT_TYPEHASH = keccak256(
  stringToHex("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)")
)

/** Undefined when the token has none. */
export const abilityOf = async (client: PublicClient, chain: Chain, token: Address): Promise<Ability | undefined> => {
  const contract = { abi, address: viemHex(token) }
  const domain = await domainOf(client, chain, viemHex(token))
  if (domain !== undefined) {
    const [state, nonce, typeHash] = await Promise.all([
      ask(client.readContract({ ...contract, functionName: "authorizationState", args: [viemHex(token), NO_NONCE] })),
      ask(client.readContract({ ...contract, functionName: "nonces", args: [viemHex(token)] })),
      ask(client.readContract({ ...contract, functionName: "PERMIT_TYPEHASH" }))
    ])
    if (state !== undefined) return { kind: "eip3009", domain, verifier: token }
    if (nonce !== undefined && (typeHash === undefined || typeHash === PERMIT_TYPEHASH)) {
      return { kind: "eip2612", domain, verifier: token }
    }
  }
  const permit2 = chain.permits?.permit2
  return permit2 === undefined ? undefined : { kind: "permit2", domain: { name: "Permit2" }, verifier: permit2 }
}

/** Whether the nonce is used. For EIP-2612 it may be used, as long as the allowance that it gave is still there. */
const isUsed = async (
  client: PublicClient,
  { amount, deadline, orderId, owner, token }: Permitted,
  { forwarder, kind, nonce = 0n, verifier }: PermitTerms
): Promise<boolean> => {
  const account = viemHex(owner)
  const contract = { abi, address: viemHex(token) }
  switch (kind) {
    case "eip3009":
      return client.readContract({ ...contract, functionName: "authorizationState", args: [account, viemHex(orderId)] })
    case "permit2": {
      const number = BigInt(orderId)
      const word = await client.readContract({
        abi: permit2Abi,
        address: viemHex(verifier),
        functionName: "nonceBitmap",
        args: [account, number >> 8n]
      })
      return ((word >> (number & 0xffn)) & 1n) === 1n
    }
    case "eip2612": {
      const spender = Result.getOrThrow(permitSpender(forwarder, { owner, token, amount, orderId, deadline }))
      const [now, allowance] = await Promise.all([
        client.readContract({ ...contract, functionName: "nonces", args: [account] }),
        client.readContract({
          abi: erc20Abi,
          address: viemHex(token),
          functionName: "allowance",
          args: [account, viemHex(spender)]
        })
      ])
      return now !== nonce && allowance < amount
    }
  }
}

export const layer = Layer.effect(
  PermitTokens,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const known = new Map<string, { readonly at: number; readonly ability: Ability | undefined }>()

    const ability = (client: PublicClient, chain: Chain, token: Address, now: number) => {
      const key = `${chain.id} ${token}`
      const before = known.get(key)
      if (before !== undefined && now - before.at < REMEMBERED_MS) return before.ability
      return abilityOf(client, chain, token).then((found) => {
        known.set(key, { at: now, ability: found })
        return found
      })
    }

    const tokenOf = ({ address }: Currency): Address => Result.getOrThrow(addressCodec("ethereum-vm").parse(address))

    const wayOf = Effect.fn("PermitTokens.wayOf")(function*(chain: Chain, currency: Currency, owner: Address) {
      if (currency.isNative) return undefined
      const token = tokenOf(currency)
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      return yield* rpc.call(chain, "permits of a token", async (client): Promise<PermitWay | undefined> => {
        const found = await ability(client, chain, token, now)
        if (found?.kind !== "eip2612") return found
        return {
          ...found,
          nonce: await client.readContract({
            abi,
            address: viemHex(token),
            functionName: "nonces",
            args: [viemHex(owner)]
          })
        }
      })
    })

    const standing = (chain: Chain, permitted: Permitted, terms: PermitTerms) =>
      rpc.call(chain, "standing of a permit", async (client): Promise<PermitStanding> => {
        const token = { abi: erc20Abi, address: viemHex(permitted.token) }
        const owner = viemHex(permitted.owner)
        const [used, balance, allowance, block] = await Promise.all([
          isUsed(client, permitted, terms),
          client.readContract({ ...token, functionName: "balanceOf", args: [owner] }),
          terms.kind === "permit2"
            ? client.readContract({ ...token, functionName: "allowance", args: [owner, viemHex(terms.verifier)] })
            : undefined,
          client.getBlock()
        ])
        return { used, balance, allowance, time: Number(block.timestamp) }
      })

    return PermitTokens.of({ wayOf, standing })
  })
)
