/**
 * What owners sign for the Forwarder, made by viem's wallets from the domain's typed data, and the calls that carry the
 * signatures.
 */
import { addressCodec } from "../../../../src/domain/families/index.ts"
import { Result } from "effect"
import type { Address, Hex, PrivateKeyAccount } from "viem"
import { encodeDeployData, encodeFunctionData, getAddress, parseSignature } from "viem"
import { permit2Code } from "../../../../hosts/localnet/nodes/ethereum/Permit2Code.ts"
import type { Address as DomainAddress } from "../../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import type { PermitDomain, PermitKind } from "../../../../src/domain/permit/Permit.ts"
import { permitMessage } from "../../../../src/domain/permit/PermitMessage.ts"
import { abi, bytecode } from "../artifacts/Forwarder.ts"
import { PERMIT2 } from "./Fixture.ts"
import type { Fixture } from "./Fixture.ts"

/** The signed fields, for tests to change. */
export interface Signed {
  readonly kind: PermitKind
  readonly owner: Address
  readonly token: Address
  readonly amount: bigint
  readonly orderId: Hex
  readonly deadline: number
  readonly domain: PermitDomain
  readonly nonce?: bigint
}

export const account = (text: string): DomainAddress =>
  Result.getOrThrow(addressCodec("ethereum-vm").parse(getAddress(text)))

/** A Forwarder of this fixture, with the real Permit2 at its address. */
export const deployForwarder = async ({ client, create, deployer, depository }: Fixture): Promise<Address> => {
  await client.setCode({ address: PERMIT2, bytecode: permit2Code })
  return create(deployer, encodeDeployData({ abi, bytecode, args: [depository, PERMIT2] }))
}

export const sign = (
  wallet: PrivateKeyAccount,
  fixture: Fixture,
  forwarder: Address,
  { amount, deadline, domain, kind, nonce, orderId, owner, token }: Signed
): Promise<Hex> => {
  const { domain: where, primaryType, types, value } = Result.getOrThrow(permitMessage({
    chainId: ChainId.make(fixture.chainId),
    owner: account(owner),
    token: account(token),
    amount,
    orderId: OrderId.make(orderId),
    terms: {
      kind,
      domain,
      forwarder: account(forwarder),
      verifier: account(kind === "permit2" ? PERMIT2 : token),
      deadline,
      ...(nonce === undefined ? {} : { nonce })
    }
  }))
  return wallet.signTypedData({ domain: where, types, primaryType, message: value })
}

/** The call that submits a signature. */
export const callOf = ({ amount, deadline, kind, orderId, owner, token }: Signed, signature: Hex): Hex => {
  const permitted = { owner, token, amount, orderId, deadline: BigInt(deadline) }
  if (kind === "eip3009") {
    return encodeFunctionData({ abi, functionName: "depositWithAuthorization", args: [permitted, signature] })
  }
  if (kind === "permit2") {
    return encodeFunctionData({ abi, functionName: "depositWithPermit2", args: [permitted, signature] })
  }
  const { r, s, yParity } = parseSignature(signature)
  return encodeFunctionData({ abi, functionName: "depositWithPermit", args: [permitted, 27 + yParity, r, s] })
}
