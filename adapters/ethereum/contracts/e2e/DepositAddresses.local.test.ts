import { assert, describe, it } from "@effect/vitest"
import type { Address, Hex } from "viem"
import {
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  getContractAddress,
  keccak256,
  pad,
  size,
  toHex
} from "viem"
import { depositsOf } from "../../../../src/domain/families/ethereum/evidence/Deposits.ts"
import { evmTransaction } from "../../decode/EvmTransaction.ts"
import { abi } from "../artifacts/DepositAddresses.ts"
import { abi as depositoryAbi, bytecode as depositoryCode } from "../artifacts/Depository.ts"
import { abi as oddAbi, bytecode as oddCode } from "../artifacts/OddToken.ts"
import type { SweepOf } from "../testing/Factory.ts"
import {
  announceExitData,
  exitData,
  factoryOf,
  forcePayment,
  payWithStipend,
  setDepository,
  setOperator,
  sweepData,
  sweepForData,
  sweepManyData
} from "../testing/Factory.ts"
import { event, eventsOf, NATIVE, useFixture, word } from "../testing/Fixture.ts"
import { account, addressOf, LATER, ORDER, sweepOf, usersAddress } from "../testing/UsersAddress.ts"

const fixture = useFixture()
const elsewhere = useFixture(616178)

const home = (): Address => usersAddress(fixture())
const of = (currency: Address, change: Partial<SweepOf> = {}): SweepOf => sweepOf(fixture(), currency, change)
const code = (address: Address) => fixture().client.getCode({ address })
const sweep = (currency: Address) => fixture().send(fixture().solver, fixture().factory, sweepData(of(currency)))
const pay = (to: Address, value: bigint, data: Hex = "0x") => fixture().send(fixture().thief, to, data, value)

describe("a deposit address", () => {
  it("is computed by anyone before it exists, from factory, order and depositor alone", async () => {
    const { client, factory, owner, user } = fixture()
    const read = { address: factory, abi } as const
    assert.strictEqual(factory, factoryOf(owner))
    assert.strictEqual(
      await client.readContract({ ...read, functionName: "IMPLEMENTATION" }),
      getContractAddress({ from: factory, nonce: 1n })
    )
    for (let index = 0n; index < 100n; index += 1n) {
      const orderId = keccak256(toHex(index, { size: 32 }))
      const depositor = getAddress(`0x${keccak256(orderId).slice(-40)}`)
      const computed = await client.readContract({
        ...read,
        functionName: "computeDepositAddress",
        args: [orderId, depositor]
      })
      assert.strictEqual(computed, addressOf(factory, orderId, depositor))
    }
    assert.strictEqual(await code(home()), undefined)
    const nobody = encodeFunctionData({ abi, functionName: "computeDepositAddress", args: [ORDER, NATIVE] })
    assert.strictEqual(await fixture().refusal(user, factory, nobody), "ZeroAddress")
  })

  it("native currency: an operator sweeps all of it into the depository, for the depositor, under the order's id, repeatedly", async () => {
    const { balance, depository, user } = fixture()
    for (const [amount, held] of [[7n, 7n], [1n, 8n]] as const) {
      await pay(home(), amount)
      assert.deepStrictEqual(eventsOf(await sweep(NATIVE)), [event("RelayNativeDeposit", user, amount, ORDER)])
      assert.strictEqual(await balance(NATIVE, home()), 0n)
      assert.strictEqual(await balance(NATIVE, depository), held)
      assert.strictEqual(size(await code(home()) ?? "0x"), 73)
    }
  })

  it("tokens, also USDT, which returns nothing: the exact allowance, the Transfer, the event, and no allowance left", async () => {
    const { balance, client, depository, mint, usdc, usdt, user } = fixture()
    for (const token of [usdc, usdt]) {
      for (const amount of [5_000000n, 1n]) {
        await mint(token, home(), amount)
        assert.deepStrictEqual(eventsOf(await sweep(token)), [
          event("Approval", home(), depository, amount),
          event("Transfer", home(), depository, amount),
          event("RelayErc20Deposit", user, token, amount, ORDER)
        ])
        const left = await client.readContract({
          address: token,
          abi: erc20Abi,
          functionName: "allowance",
          args: [home(), depository]
        })
        assert.strictEqual(left, 0n)
      }
      assert.strictEqual(await balance(token, home()), 0n)
      assert.strictEqual(await balance(token, depository), 5_000001n)
    }
  })

  it("a token that takes a fee: the deposit is what arrived", async () => {
    const { balance, create, depository, mint, thief, user } = fixture()
    const odd = await create(thief, encodeDeployData({ abi: oddAbi, bytecode: oddCode, args: [100n] }))
    await mint(odd, home(), 1000n)
    assert.includeMembers([...eventsOf(await sweep(odd))], [event("RelayErc20Deposit", user, odd, 990n, ORDER)])
    assert.strictEqual(await balance(odd, depository), 990n)
    assert.strictEqual(await balance(odd, home()), 0n)
  })

  it("accepts payments with 2300 gas before and after it exists, with any data and by force, and all of it is swept", async () => {
    const { balance, depository, puppet, thief, transact } = fixture()
    const paid = async (data: Hex) => assert.strictEqual((await transact(thief, { data, value: 1n })).status, "success")
    for (const round of [1n, 2n]) {
      await paid(payWithStipend(home()))
      await pay(home(), 1n, "0x12345678")
      await pay(home(), 1n, ORDER)
      await paid(forcePayment(home()))
      assert.strictEqual(await balance(NATIVE, home()), 4n)
      await sweep(NATIVE)
      assert.strictEqual(await balance(NATIVE, depository), round * 4n)
    }
    // A recipient that needs more gas cannot be paid this way: it only gets the stipend.
    assert.strictEqual((await transact(thief, { data: payWithStipend(puppet), value: 1n })).status, "reverted")
    await pay(puppet, 1n)
  })

  it("without a balance, a sweep is refused and creates neither a deposit nor the address", async () => {
    const { factory, refusal, solver, usdc } = fixture()
    for (const currency of [NATIVE, usdc]) {
      assert.strictEqual(await refusal(solver, factory, sweepData(of(currency))), "NothingToSweep")
      assert.strictEqual(await refusal(solver, factory, sweepForData(of(currency, { id: LATER }))), "NothingToSweep")
    }
    const receipt = await fixture().send(solver, factory, sweepManyData([of(NATIVE), of(usdc)]))
    assert.deepStrictEqual(eventsOf(receipt), [])
    assert.strictEqual(await code(home()), undefined)
  })

  it("differs for another depositor or order: nobody can sweep another's payments to themselves", async () => {
    const { balance, factory, refusal, send, solver, thief } = fixture()
    await pay(home(), 5n)
    assert.strictEqual(await refusal(solver, factory, sweepData(of(NATIVE, { depositor: thief }))), "NothingToSweep")
    assert.strictEqual(await refusal(solver, factory, sweepData(of(NATIVE, { orderId: LATER }))), "NothingToSweep")
    assert.strictEqual(await refusal(solver, factory, sweepData(of(NATIVE, { depositor: NATIVE }))), "ZeroAddress")
    await pay(addressOf(factory, ORDER, thief), 3n)
    const receipt = await send(solver, factory, sweepData(of(NATIVE, { depositor: thief })))
    assert.deepStrictEqual(eventsOf(receipt), [event("RelayNativeDeposit", thief, 3n, ORDER)])
    assert.strictEqual(await balance(NATIVE, home()), 5n)
  })
})

describe("a later deposit at an open address", () => {
  it("is swept by an operator under the id of its own order, or of none", async () => {
    const { factory, mint, send, solver, usdc, user } = fixture()
    for (const id of [LATER, word(10), pad("0x", { size: 32 })]) {
      await pay(home(), 2n)
      await mint(usdc, home(), 3n)
      const native = await send(solver, factory, sweepForData(of(NATIVE, { id })))
      assert.deepStrictEqual(eventsOf(native), [event("RelayNativeDeposit", user, 2n, id)])
      const token = await send(solver, factory, sweepForData(of(usdc, { id })))
      assert.includeMembers([...eventsOf(token)], [event("RelayErc20Deposit", user, usdc, 3n, id)])
    }
  })
})

describe("many sweeps in one transaction", () => {
  it("of several currencies and addresses, each under its own id", async () => {
    const { depository, factory, mint, send, solver, stranger, usdc, usdt, user } = fixture()
    const other = addressOf(factory, LATER, stranger)
    await pay(home(), 2n)
    await pay(other, 3n)
    await mint(usdc, home(), 4n)
    await mint(usdt, other, 5n)
    const sweeps = [
      of(NATIVE),
      of(usdc, { id: word(1) }),
      of(usdt),
      of(NATIVE, { orderId: LATER, depositor: stranger }),
      of(usdt, { orderId: LATER, depositor: stranger })
    ]
    const deposits = eventsOf(await send(solver, factory, sweepManyData(sweeps))).filter((text) =>
      text.startsWith("Relay")
    )
    assert.deepStrictEqual(deposits, [
      event("RelayNativeDeposit", user, 2n, ORDER),
      event("RelayErc20Deposit", user, usdc, 4n, word(1)),
      event("RelayNativeDeposit", stranger, 3n, LATER),
      event("RelayErc20Deposit", stranger, usdt, 5n, LATER)
    ])
    assert.strictEqual(await fixture().balance(NATIVE, depository), 5n)
  })

  it("appears to service and oracle as one deposit of the depositor each, under its id, of the amount that arrived", async () => {
    const { client, create, depository, factory, mint, send, solver, thief, usdt, user } = fixture()
    const odd = await create(thief, encodeDeployData({ abi: oddAbi, bytecode: oddCode, args: [100n] }))
    await pay(home(), 2n)
    await mint(usdt, home(), 4n)
    await mint(odd, home(), 1000n)
    const receipt = await send(solver, factory, sweepManyData([of(odd, { id: LATER }), of(usdt), of(NATIVE)]))
    const transaction = evmTransaction(await client.getTransaction({ hash: receipt.transactionHash }), receipt)
    const seen = depositsOf(transaction, account(depository)).map((
      { amount, currency, depositId, depositor }
    ) => [currency, amount, depositId, depositor])
    assert.deepStrictEqual<unknown>(seen, [
      [odd.toLowerCase(), 990n, LATER, user.toLowerCase()],
      [usdt.toLowerCase(), 4n, ORDER, user.toLowerCase()],
      [NATIVE, 2n, ORDER, user.toLowerCase()]
    ])
  })

  it("of nothing does nothing", async () => {
    const { factory, send, solver } = fixture()
    assert.deepStrictEqual(eventsOf(await send(solver, factory, sweepManyData([]))), [])
  })
})

describe("the depository of a chain", () => {
  it("is set by the owner, once for ever, and must be a contract; before that nothing can be swept", async () => {
    const { client, deployFactory, depository, factory, owner, refusal, send, solver, stranger, user, vault } =
      fixture()
    const fresh = await deployFactory(stranger)
    assert.notStrictEqual(fresh, factory)
    await pay(addressOf(fresh, ORDER, user), 5n)
    await send(stranger, fresh, setOperator(solver))
    for (const data of [sweepData(of(NATIVE)), sweepManyData([of(NATIVE)])]) {
      assert.strictEqual(await refusal(solver, fresh, data), "DepositoryNotSet")
    }
    for (const who of [solver, owner, user]) {
      assert.strictEqual(await refusal(who, fresh, setDepository(depository)), "OwnableUnauthorizedAccount")
    }
    assert.strictEqual(await refusal(stranger, fresh, setDepository(user)), "NotADepository")
    assert.strictEqual(await refusal(stranger, fresh, setDepository(NATIVE)), "NotADepository")
    assert.deepStrictEqual(eventsOf(await send(stranger, fresh, setDepository(depository))), [
      event("DepositorySet", depository)
    ])
    for (const again of [depository, vault, NATIVE]) {
      assert.strictEqual(await refusal(stranger, fresh, setDepository(again)), "DepositoryAlreadySet")
    }
    assert.strictEqual(
      getAddress(await client.readContract({ address: fresh, abi, functionName: "depository" })),
      getAddress(depository)
    )
    const receipt = await send(solver, fresh, sweepData(of(NATIVE)))
    assert.deepStrictEqual(eventsOf(receipt), [event("RelayNativeDeposit", user, 5n, ORDER)])
  })

  it("belongs to its chain: one address on two chains pays into two depositories", async () => {
    const addresses: Array<Address> = []
    const depositories: Array<Address> = []
    for (const [index, s] of [fixture(), elsewhere()].entries()) {
      const own = index === 0
        ? s.depository
        : await s.create(
          s.thief,
          encodeDeployData({ abi: depositoryAbi, bytecode: depositoryCode, args: [s.owner, s.allocator.address] })
        )
      const factory = await s.deployFactory(s.stranger)
      await s.send(s.stranger, factory, setDepository(own))
      await s.send(s.stranger, factory, setOperator(s.solver))
      const address = addressOf(factory, ORDER, s.user)
      await s.send(s.user, address, "0x", 5n)
      await s.mint(s.usdc, address, 6n)
      await s.send(s.solver, factory, sweepManyData([of(NATIVE), of(s.usdc)]))
      assert.deepStrictEqual([await s.balance(NATIVE, own), await s.balance(s.usdc, own)], [5n, 6n])
      addresses.push(address)
      depositories.push(own)
    }
    assert.strictEqual(new Set(addresses).size, 1)
    assert.strictEqual(new Set(depositories).size, 2)
    assert.notStrictEqual(fixture().chainId, elsewhere().chainId)
  })
})

describe("operators", () => {
  it("are added and removed by the owner only, several at a time, and nobody else can sweep, in any form", async () => {
    const { factory, owner, refusal, send, solver, stranger, thief, user } = fixture()
    const later = sweepForData(of(NATIVE, { id: LATER }))
    await pay(home(), 1n)
    for (const who of [owner, stranger, thief, user]) {
      for (
        const data of [
          sweepData(of(NATIVE)),
          later,
          sweepForData(of(NATIVE)),
          sweepManyData([of(NATIVE)]),
          sweepManyData([])
        ]
      ) {
        assert.strictEqual(await refusal(who, factory, data), "NotAnOperator")
      }
    }
    await send(solver, factory, sweepData(of(NATIVE)))
    for (const who of [solver, stranger, thief]) {
      assert.strictEqual(await refusal(who, factory, setOperator(thief)), "OwnableUnauthorizedAccount")
    }
    assert.strictEqual(await refusal(owner, factory, setOperator(NATIVE)), "ZeroAddress")
    assert.deepStrictEqual(eventsOf(await send(owner, factory, setOperator(stranger))), [
      `OperatorChanged(${stranger.toLowerCase()},true)`
    ])
    await pay(home(), 1n)
    await send(stranger, factory, later)
    await send(owner, factory, setOperator(stranger, false))
    await pay(home(), 1n)
    assert.strictEqual(await refusal(stranger, factory, later), "NotAnOperator")
  })
})

describe("a depositor's own way out", () => {
  const DAY = 86_400
  const later = async (seconds: number) => {
    await fixture().client.increaseTime({ seconds })
    await fixture().client.mine({ blocks: 1 })
  }

  it("opens a day after its announcement: into the depository, under the address's order or none, repeatedly", async () => {
    const { factory, mint, refusal, send, usdc, user } = fixture()
    await pay(home(), 2n)
    assert.strictEqual(await refusal(user, factory, exitData(of(NATIVE))), "ExitNotAnnounced")
    const [announced = ""] = eventsOf(await send(user, factory, announceExitData(ORDER)))
    assert.match(announced, new RegExp(`^ExitAnnounced\\(${home().toLowerCase()},${user.toLowerCase()},`))
    assert.strictEqual(await refusal(user, factory, exitData(of(NATIVE))), "ExitTooEarly")
    await later(DAY - 60)
    // A second announcement neither restarts the waiting day nor ends it.
    assert.deepStrictEqual(eventsOf(await send(user, factory, announceExitData(ORDER))), [])
    assert.strictEqual(await refusal(user, factory, exitData(of(NATIVE))), "ExitTooEarly")
    await later(120)
    assert.strictEqual(await refusal(user, factory, exitData(of(NATIVE, { id: LATER }))), "NotTheAddressesOrder")
    assert.deepStrictEqual(eventsOf(await send(user, factory, exitData(of(NATIVE)))), [
      event("RelayNativeDeposit", user, 2n, ORDER)
    ])
    assert.strictEqual(await refusal(user, factory, exitData(of(NATIVE))), "NothingToSweep")
    await mint(usdc, home(), 3n)
    const none = pad("0x", { size: 32 })
    assert.includeMembers([...eventsOf(await send(user, factory, exitData(of(usdc, { id: none }))))], [
      event("RelayErc20Deposit", user, usdc, 3n, none)
    ])
  })

  it("belongs to the depositor and that address alone: announcements of others, or for other addresses, open nothing", async () => {
    const { balance, factory, owner, refusal, send, solver, stranger, thief, user } = fixture()
    await pay(home(), 2n)
    for (const who of [thief, stranger, owner, solver]) await send(who, factory, announceExitData(ORDER))
    await send(user, factory, announceExitData(LATER))
    await later(DAY + 60)
    for (const who of [thief, stranger, owner, solver]) {
      // By now each may sweep its own address for the same order, which is empty.
      assert.strictEqual(await refusal(who, factory, exitData(of(NATIVE))), "NothingToSweep")
    }
    assert.strictEqual(await refusal(user, factory, exitData(of(NATIVE))), "ExitNotAnnounced")
    assert.strictEqual(await balance(NATIVE, home()), 2n)
  })

  it("does not stop operators: they sweep before and after the day is over", async () => {
    const { factory, refusal, send, user } = fixture()
    await send(user, factory, announceExitData(ORDER))
    await pay(home(), 2n)
    assert.deepStrictEqual(eventsOf(await sweep(NATIVE)), [event("RelayNativeDeposit", user, 2n, ORDER)])
    await later(DAY + 60)
    assert.strictEqual(await refusal(user, factory, exitData(of(NATIVE))), "NothingToSweep")
    await pay(home(), 4n)
    assert.deepStrictEqual(eventsOf(await sweep(NATIVE)), [event("RelayNativeDeposit", user, 4n, ORDER)])
  })
})

/** Upper bounds for the gas of a whole transaction. A first sweep also deploys the address. */
const bounds = {
  native: { first: 94_000n, later: 47_000n },
  usdc: { first: 127_000n, later: 70_000n }
}

describe("gas", () => {
  it("of first and later sweeps, native and token, stays within its bounds", async () => {
    const { mint, usdc } = fixture()
    const measured = async (currency: Address) => {
      const gas: Array<bigint> = []
      for (const amount of [1_000000n, 2_000000n]) {
        if (currency === NATIVE) await pay(home(), amount)
        else await mint(usdc, home(), amount)
        gas.push((await sweep(currency)).gasUsed)
      }
      return { first: gas[0] ?? 0n, later: gas[1] ?? 0n }
    }
    const snapshot = await fixture().client.snapshot()
    const native = await measured(NATIVE)
    await fixture().client.revert({ id: snapshot })
    const token = await measured(usdc)
    console.info(
      `gas of a sweep: native ${native.first}, then ${native.later}; USDC ${token.first}, then ${token.later}`
    )
    for (const [found, bound] of [[native, bounds.native], [token, bounds.usdc]] as const) {
      assert.isTrue(found.first <= bound.first && found.later <= bound.later, `${found.first}, ${found.later}`)
    }
  })
})
