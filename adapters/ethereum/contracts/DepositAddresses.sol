// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {DepositAddress} from "./DepositAddress.sol";
import {Depository} from "./Depository.sol";

/// @notice One currency of one deposit address, and the id that its deposit is to have. `currency` zero is the native
/// one. It stands last, as in every function here: no calldata of ours ends with an order's id, which would name a payment.
struct Sweep {
    bytes32 orderId;
    address depositor;
    bytes32 id;
    address currency;
}

/// @title DepositAddresses: the factory of deposit addresses, and the one hand that empties them
/// @notice A deposit address is a function of (orderId, depositor), the same on every EVM chain (spec/3 §7). It is paid
/// before it exists; the first sweep that finds something there makes it. All it can ever do is deposit into the one
/// depository of its chain, for its depositor.
/// SECURITY: the factory must be at the same address everywhere, so its init code holds nothing of a chain, and it is
/// deployed through the CREATE2 deployer. Whoever is its owner on a chain where the depository is not set yet chooses
/// where that chain's deposits go: the owner must be an address that nobody else can come to hold on any chain (a key,
/// not a contract that somebody could deploy elsewhere).
/// An operator may give any deposit another order's id: its key is worth what lies at the addresses.
contract DepositAddresses is Ownable2Step, ReentrancyGuardTransient {
    event DepositorySet(address depository);
    event OperatorChanged(address operator, bool allowed);
    event SweepFailed(address depositAddress, address currency);

    error ZeroAddress();
    error NotAnOperator(address caller);
    error NotADepository(address account);
    error DepositoryAlreadySet();
    error DepositoryNotSet();
    error NothingToSweep();
    error NotTheFactory();
    error TooLittleGas(uint256 index);

    /// @notice Gas of each sweep of {sweepMany}. One that needs more can be made by {sweep} or {sweepFor}.
    uint256 public constant SWEEP_GAS = 500_000;

    address public immutable IMPLEMENTATION;

    /// @dev keccak256 of what {_initCode} gives.
    bytes32 private immutable INIT_CODE_HASH;

    /// @notice The depository of this chain; zero until it is set, and never another afterwards.
    Depository public depository;

    /// @notice Who may give a deposit the id of a later order.
    mapping(address account => bool allowed) public isOperator;

    modifier onlyOperator() {
        require(isOperator[msg.sender], NotAnOperator(msg.sender));
        _;
    }

    constructor(address owner_) Ownable(owner_) {
        IMPLEMENTATION = address(new DepositAddress());
        INIT_CODE_HASH = keccak256(_initCode());
    }

    /// @notice Where the deposits of this order are paid to. `depositor` is who the settlement protocol credits with
    /// what no order claims: the recovery address if there is one, else the user.
    function computeDepositAddress(bytes32 orderId, address depositor) external view returns (address) {
        return _addressOf(_saltOf(orderId, depositor));
    }

    /// @notice Deposits all that the address of (orderId, depositor) has of `currency`, with that order's id. Anybody may.
    function sweep(bytes32 orderId, address depositor, address currency) external nonReentrant {
        require(_sweep(Sweep(orderId, depositor, orderId, currency)), NothingToSweep());
    }

    /// @notice The same with the id of an order that was made for this deposit: an open address takes many.
    /// @param laterOrderId zero for no order: the settlement protocol credits the depositor
    function sweepFor(
        bytes32 orderId,
        address depositor,
        bytes32 laterOrderId,
        address currency
    ) external onlyOperator nonReentrant {
        require(_sweep(Sweep(orderId, depositor, laterOrderId, currency)), NothingToSweep());
    }

    /// @notice Many at once: one that fails is told by SweepFailed and changes nothing for the others, whatever its token
    /// does; where there is nothing, nothing is done. Ids other than the address's own order are for operators.
    /// SECURITY: a failure counts only when the sweep had all of SWEEP_GAS. So no caller can make one fail by giving too
    /// little, and an estimate of gas, which looks for the least that does not revert, finds enough.
    /// @return succeeded one flag a sweep; true as well where there was nothing to sweep
    function sweepMany(Sweep[] calldata sweeps) external nonReentrant returns (bool[] memory succeeded) {
        require(address(depository) != address(0), DepositoryNotSet());
        succeeded = new bool[](sweeps.length);
        for (uint256 i = 0; i < sweeps.length; ++i) {
            Sweep calldata one = sweeps[i];
            require(one.id == one.orderId || isOperator[msg.sender], NotAnOperator(msg.sender));
            succeeded[i] = _sweepApart(i, one);
            if (!succeeded[i]) emit SweepFailed(_addressOf(_saltOf(one.orderId, one.depositor)), one.currency);
        }
    }

    /// @dev A sweep of {sweepMany} in a call of its own: what it does is undone when it fails, its gas is its own.
    function sweepApart(Sweep calldata one) external {
        require(msg.sender == address(this), NotTheFactory());
        _sweep(one);
    }

    /// @notice Once for ever. It must be there already: a mistake could not be mended.
    function setDepository(Depository depository_) external onlyOwner {
        require(address(depository) == address(0), DepositoryAlreadySet());
        require(address(depository_).code.length > 0, NotADepository(address(depository_)));
        depository = depository_;
        emit DepositorySet(address(depository_));
    }

    function setOperator(address operator, bool allowed) external onlyOwner {
        require(operator != address(0), ZeroAddress());
        isOperator[operator] = allowed;
        emit OperatorChanged(operator, allowed);
    }

    /// @dev What the call returns is not copied: it is a token's choice and our gas.
    function _sweepApart(uint256 index, Sweep calldata one) private returns (bool success) {
        bytes memory data = abi.encodeCall(this.sweepApart, (one));
        uint256 given = gasleft();
        assembly ("memory-safe") {
            success := call(SWEEP_GAS, address(), 0, add(data, 0x20), mload(data), 0x00, 0x00)
        }
        // Of what is left when it is made, a call gets all but a 64th at most (EIP-150); 1,000 are for making it.
        require(success || given - given / 64 >= SWEEP_GAS + 1_000, TooLittleGas(index));
    }

    /// @return swept false when there is nothing, and then nothing is made there
    function _sweep(Sweep memory one) private returns (bool swept) {
        Depository depository_ = depository;
        require(address(depository_) != address(0), DepositoryNotSet());
        bytes32 salt = _saltOf(one.orderId, one.depositor);
        address account = _addressOf(salt);
        uint256 amount = one.currency == address(0) ? account.balance : IERC20(one.currency).balanceOf(account);
        if (amount == 0) return false;
        if (account.code.length == 0) Create2.deploy(0, salt, _initCode());
        DepositAddress(account).deposit(depository_, one.depositor, one.id, one.currency, amount);
        return true;
    }

    /// @dev Money at an address without a depositor could never be deposited.
    function _saltOf(bytes32 orderId, address depositor) private pure returns (bytes32) {
        require(depositor != address(0), ZeroAddress());
        return keccak256(abi.encode(orderId, depositor));
    }

    function _addressOf(bytes32 salt) private view returns (address) {
        return Create2.computeAddress(salt, INIT_CODE_HASH);
    }

    /// @dev Nine bytes that return the rest, which is the proxy:
    ///
    ///   if caller() != factory { stop() }               33 73‹factory› 14 60 1b 57 00
    ///   calldatacopy(0, 0, calldatasize())              5b 36 5f 5f 37
    ///   delegatecall(gas(), implementation, …)          5f 5f 36 5f 73‹implementation› 5a f4
    ///   returndatacopy(0, 0, returndatasize())          3d 5f 5f 3e
    ///   if it failed { revert } else { return }         60 45 57 3d 5f fd 5b 3d 5f f3
    ///
    /// So money is taken from anybody, with any data and for the 2300 gas of a plain transfer, as before it is deployed.
    function _initCode() private view returns (bytes memory) {
        return
            abi.encodePacked(
                hex"60498060095f395ff33373",
                address(this),
                hex"14601b57005b365f5f375f5f365f73",
                IMPLEMENTATION,
                hex"5af43d5f5f3e6045573d5ffd5b3d5ff3"
            );
    }
}
