//! The driver calls that the virtual device supports. Each has one row, with CUDA's signature and the function that
//! answers. The other calls of `cuda.h` are in [`unsupported`](super::unsupported).
//!
//! # Safety
//!
//! All calls have the same contract: each argument meets the CUDA documentation.
//!
//! - Each pointer is null or valid for the bytes that the call reads or writes there.
//! - Host memory that a stream's queue, a graph, a linker or a user object refers to stays valid as long as they may use it.
//! - Callbacks have the documented type.
//!
//! Handles and device addresses may have any value, because they are only looked up. Some arguments take an address of the device or of the
//! host. Such an address counts as a pointer, unless it lies in an allocation of a device.
//!
//! The linker of the host program keeps these symbols in every program that names this crate (`use virtual_gpu as _;` is enough). If a real
//! `libcuda` is linked as well, the program's symbols take precedence over the shared library's.

#![allow(non_snake_case, reason = "the names are CUDA's")]
#![allow(clippy::too_many_arguments, reason = "the signatures are CUDA's")]
#![allow(clippy::missing_safety_doc, reason = "one contract for all, above")]

use crate::driver::abi::{
    BlockSizeToShared, Handle, HostPointer, In, Location, Out, StreamCallback, Text,
};
use crate::driver::calls::{
    attributes, capture, context, copy, copy_rows, device, error_names, event, fill, function,
    graph, host_memory, launch, library, link, managed, memory, module, occupancy, pointer, pool,
    primary, proc_address, profiler, setup, stream, user_object,
};
use crate::driver::code::{Code, SUCCESS};
use crate::driver::default_stream;
use crate::driver::objects::context::Context;
use crate::driver::objects::event::Event;
use crate::driver::objects::graph::{ExecutableGraph, Graph, NodeName};
use crate::driver::objects::library::{Library, LibraryKernel};
use crate::driver::objects::linker::Linker;
use crate::driver::objects::module::{Function, Module};
use crate::driver::objects::pool::Pool;
use crate::driver::objects::stream::Stream;
use crate::driver::objects::user_object::UserObject;
use crate::driver::seam::dispatch::{Class, dispatch, export, exports, follow, row};
use crate::driver::seam::real::Symbol;
use std::ffi::{c_char, c_void};

type HostFn = Option<unsafe extern "C" fn(*mut c_void)>;

exports! {
    // The driver and its devices.
    cuInit(flags: u32) => device::init, Starts;
    cuDriverGetVersion(version: Out<i32>) => device::driver_version, Pure;
    cuGetErrorName(code: i32, text: Out<*const c_char>) => error_names::name, Pure;
    cuGetErrorString(code: i32, text: Out<*const c_char>) => error_names::description, Pure;
    cuGetProcAddress(name: Text, address: Out<*mut c_void>, version: i32, flags: u64)
        => proc_address::find, Pure, proc_address::replace;
    cuGetProcAddress_v2(
        name: Text, address: Out<*mut c_void>, version: i32, flags: u64, status: Out<i32>
    ) => proc_address::find_with_status, Pure, proc_address::replace_with_status;
    cuDeviceGetCount(count: Out<i32>) => device::count, Survives;
    cuDeviceGet(device: Out<i32>, ordinal: i32) => device::get, Survives;
    cuDeviceGetName(name: Out<c_char>, capacity: i32, device: i32) => device::name, Survives;
    cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: i32) => device::uuid, Survives;
    cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: i32) => device::uuid, Survives;
    cuDeviceTotalMem_v2(bytes: Out<usize>, device: i32) => device::total_memory, Survives;
    cuDeviceGetAttribute(value: Out<i32>, attribute: i32, device: i32)
        => attributes::attribute, Survives;
    cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32)
        => device::compute_capability, Survives;
    cuDeviceGetPCIBusId(id: Out<c_char>, capacity: i32, device: i32) => device::pci_bus_id, Survives;
    cuDeviceGetByPCIBusId(device: Out<i32>, id: Text) => device::by_pci_bus_id, Survives;
    cuDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32)
        => device::can_access_peer, Survives;

    cuProfilerStart() => profiler::start;
    cuProfilerStop() => profiler::stop;

    // Contexts.
    cuDevicePrimaryCtxRetain(context: Out<Handle<Context>>, device: i32)
        => primary::retain, Survives;
    cuDevicePrimaryCtxRelease_v2(device: i32) => primary::release, Survives;
    cuDevicePrimaryCtxReset_v2(device: i32) => primary::reset, Survives;
    cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) => primary::set_flags, Survives;
    cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>)
        => primary::state, Survives;
    cuDevicePrimaryCtxRelease(device: i32) => primary::release, Survives;
    cuDevicePrimaryCtxReset(device: i32) => primary::reset, Survives;
    cuDevicePrimaryCtxSetFlags(device: i32, flags: u32) => primary::set_flags, Survives;
    cuCtxCreate(context: Out<Handle<Context>>, flags: u32, device: i32) => context::create, Survives;
    cuCtxCreate_v3(
        context: Out<Handle<Context>>, limits: HostPointer, limit_count: i32, flags: u32, device: i32
    ) => context::create_with_affinity, Survives;
    cuCtxCreate_v4(
        context: Out<Handle<Context>>, parameters: In<context::Parameters>, flags: u32, device: i32
    ) => context::create_with_parameters, Survives;
    cuCtxDestroy(context: Handle<Context>) => context::destroy, Survives;
    cuCtxPushCurrent(context: Handle<Context>) => context::push, Survives;
    cuCtxPopCurrent(context: Out<Handle<Context>>) => context::pop, Survives;
    cuCtxGetId(context: Handle<Context>, id: Out<u64>) => context::id, Survives;
    cuCtxCreate_v2(context: Out<Handle<Context>>, flags: u32, device: i32)
        => context::create, Survives;
    cuCtxAttach(context: Out<Handle<Context>>, flags: u32) => context::attach;
    cuCtxDetach(context: Handle<Context>) => context::detach, Survives;
    cuCtxDestroy_v2(context: Handle<Context>) => context::destroy, Survives;
    cuCtxPushCurrent_v2(context: Handle<Context>) => context::push, Survives;
    cuCtxPopCurrent_v2(context: Out<Handle<Context>>) => context::pop, Survives;
    cuCtxSetCurrent(context: Handle<Context>) => context::set_current, Survives;
    cuCtxGetCurrent(context: Out<Handle<Context>>) => context::get_current, Survives;
    cuCtxGetDevice(device: Out<i32>) => context::device, Survives;
    cuCtxGetFlags(flags: Out<u32>) => context::flags, Survives;
    cuCtxGetApiVersion(context: Handle<Context>, version: Out<u32>)
        => context::api_version, Survives;
    cuCtxSynchronize() => context::synchronize, Synchronises;
    cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) => context::priority_range;
    cuCtxGetLimit(value: Out<usize>, limit: i32) => context::limit;
    cuCtxSetLimit(limit: i32, value: usize) => context::set_limit;
    cuCtxGetCacheConfig(config: Out<i32>) => context::cache;
    cuCtxSetCacheConfig(config: i32) => context::set_cache;
    cuCtxGetSharedMemConfig(config: Out<i32>) => context::shared_bank;
    cuCtxSetSharedMemConfig(config: i32) => context::set_shared_bank;

    // Memory.
    cuMemAlloc_v2(address: Out<u64>, bytes: usize) => memory::alloc;
    cuMemFree_v2(address: u64) => memory::free, Synchronises;
    cuMemAllocAsync / cuMemAllocAsync_ptsz(address: Out<u64>, bytes: usize, stream: Handle<Stream>)
        => memory::alloc_async;
    cuMemFreeAsync / cuMemFreeAsync_ptsz(address: u64, stream: Handle<Stream>) => memory::free_async;
    cuMemAllocPitch_v2(
        address: Out<u64>, pitch: Out<usize>, width: usize, rows: usize, element_bytes: u32
    ) => memory::alloc_rows;
    cuMemAllocManaged(address: Out<u64>, bytes: usize, flags: u32) => managed::alloc;
    cuStreamAttachMemAsync / cuStreamAttachMemAsync_ptsz(
        stream: Handle<Stream>, address: u64, bytes: usize, flags: u32
    ) => managed::attach;
    cuMemAdvise(address: u64, bytes: usize, advice: i32, device: i32) => managed::advise;
    cuMemAdvise_v2(address: u64, bytes: usize, advice: i32, place: Location)
        => managed::advise_place;
    cuMemPrefetchAsync / cuMemPrefetchAsync_ptsz(
        address: u64, bytes: usize, device: i32, stream: Handle<Stream>
    ) => managed::prefetch;
    cuMemPrefetchAsync_v2 / cuMemPrefetchAsync_v2_ptsz(
        address: u64, bytes: usize, place: Location, flags: u32, stream: Handle<Stream>
    ) => managed::prefetch_to_place;
    cuDeviceGetDefaultMemPool(pool: Out<Handle<Pool>>, device: i32) => pool::of_device;
    cuDeviceGetMemPool(pool: Out<Handle<Pool>>, device: i32) => pool::of_device;
    cuDeviceSetMemPool(device: i32, pool: Handle<Pool>) => pool::set_of_device;
    cuMemPoolCreate(pool: Out<Handle<Pool>>, properties: In<pool::Properties>) => pool::create;
    cuMemPoolDestroy(pool: Handle<Pool>) => pool::destroy;
    cuMemPoolTrimTo(pool: Handle<Pool>, kept_bytes: usize) => pool::trim;
    cuMemPoolGetAttribute(pool: Handle<Pool>, setting: i32, value: HostPointer) => pool::get;
    cuMemPoolSetAttribute(pool: Handle<Pool>, setting: i32, value: HostPointer) => pool::set;
    cuMemPoolSetAccess(pool: Handle<Pool>, accesses: In<pool::Access>, count: usize)
        => pool::set_access;
    cuMemPoolGetAccess(flags: Out<i32>, pool: Handle<Pool>, place: In<Location>) => pool::access;
    cuMemAllocFromPoolAsync / cuMemAllocFromPoolAsync_ptsz(
        address: Out<u64>, bytes: usize, pool: Handle<Pool>, stream: Handle<Stream>
    ) => pool::alloc;
    cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) => memory::info;
    cuMemGetAddressRange_v2(start: Out<u64>, bytes: Out<usize>, address: u64)
        => memory::address_range;
    cuPointerGetAttribute(value: HostPointer, attribute: i32, address: u64)
        => pointer::attribute;
    cuPointerGetAttributes(count: u32, attributes: In<i32>, values: In<HostPointer>, address: u64)
        => pointer::attributes;
    cuMemAllocHost_v2(pointer: Out<*mut c_void>, bytes: usize) => host_memory::alloc;
    cuMemHostAlloc(pointer: Out<*mut c_void>, bytes: usize, flags: u32)
        => host_memory::alloc_with_flags;
    cuMemFreeHost(pointer: HostPointer) => host_memory::free, Synchronises;
    cuMemHostRegister_v2(pointer: HostPointer, bytes: usize, flags: u32) => host_memory::register;
    cuMemHostUnregister(pointer: HostPointer) => host_memory::unregister, Synchronises;
    cuMemHostGetFlags(flags: Out<u32>, pointer: HostPointer) => host_memory::flags;
    cuMemHostGetDevicePointer_v2(address: Out<u64>, pointer: HostPointer, flags: u32)
        => host_memory::device_pointer;

    // Copies and fills.
    cuMemcpy / cuMemcpy_ptds(to: u64, from: u64, bytes: usize) => copy::any_to_any, Synchronises;
    cuMemcpyHtoD_v2 / cuMemcpyHtoD_v2_ptds(to: u64, from: HostPointer, bytes: usize)
        => copy::host_to_device, Synchronises;
    cuMemcpyDtoH_v2 / cuMemcpyDtoH_v2_ptds(to: HostPointer, from: u64, bytes: usize)
        => copy::device_to_host, Synchronises;
    cuMemcpyDtoD_v2 / cuMemcpyDtoD_v2_ptds(to: u64, from: u64, bytes: usize) => copy::device_to_device;
    cuMemcpyPeer / cuMemcpyPeer_ptds(
        to: u64, to_context: Handle<Context>, from: u64, from_context: Handle<Context>, bytes: usize
    ) => copy::peer;
    cuMemcpyAsync / cuMemcpyAsync_ptsz(to: u64, from: u64, bytes: usize, stream: Handle<Stream>)
        => copy::any_to_any_async;
    cuMemcpyHtoDAsync_v2 / cuMemcpyHtoDAsync_v2_ptsz(to: u64, from: HostPointer, bytes: usize, stream: Handle<Stream>)
        => copy::host_to_device_async;
    cuMemcpyDtoHAsync_v2 / cuMemcpyDtoHAsync_v2_ptsz(to: HostPointer, from: u64, bytes: usize, stream: Handle<Stream>)
        => copy::device_to_host_async;
    cuMemcpyDtoDAsync_v2 / cuMemcpyDtoDAsync_v2_ptsz(to: u64, from: u64, bytes: usize, stream: Handle<Stream>)
        => copy::device_to_device_async;
    cuMemcpyPeerAsync / cuMemcpyPeerAsync_ptsz(
        to: u64, to_context: Handle<Context>, from: u64, from_context: Handle<Context>,
        bytes: usize, stream: Handle<Stream>
    ) => copy::peer_async;
    cuMemcpy2D_v2 / cuMemcpy2D_v2_ptds(plane: In<copy_rows::Plane>) => copy_rows::copy_plane, Synchronises;
    cuMemcpy2DAsync_v2 / cuMemcpy2DAsync_v2_ptsz(plane: In<copy_rows::Plane>, stream: Handle<Stream>)
        => copy_rows::copy_plane_async;
    cuMemcpy3D_v2 / cuMemcpy3D_v2_ptds(planes: In<copy_rows::Planes>) => copy_rows::copy_planes, Synchronises;
    cuMemcpy3DAsync_v2 / cuMemcpy3DAsync_v2_ptsz(planes: In<copy_rows::Planes>, stream: Handle<Stream>)
        => copy_rows::copy_planes_async;
    cuMemsetD8_v2 / cuMemsetD8_v2_ptds(address: u64, value: u8, count: usize) => fill::bytes;
    cuMemsetD16_v2 / cuMemsetD16_v2_ptds(address: u64, value: u16, count: usize) => fill::halves;
    cuMemsetD32_v2 / cuMemsetD32_v2_ptds(address: u64, value: u32, count: usize) => fill::words;
    cuMemsetD8Async / cuMemsetD8Async_ptsz(address: u64, value: u8, count: usize, stream: Handle<Stream>)
        => fill::bytes_async;
    cuMemsetD16Async / cuMemsetD16Async_ptsz(address: u64, value: u16, count: usize, stream: Handle<Stream>)
        => fill::halves_async;
    cuMemsetD32Async / cuMemsetD32Async_ptsz(address: u64, value: u32, count: usize, stream: Handle<Stream>)
        => fill::words_async;
    cuMemsetD2D8_v2 / cuMemsetD2D8_v2_ptds(address: u64, pitch: usize, value: u8, width: usize, rows: usize)
        => fill::rows_of_bytes;
    cuMemcpy2DUnaligned_v2 / cuMemcpy2DUnaligned_v2_ptds(plane: In<copy_rows::Plane>)
        => copy_rows::copy_plane, Synchronises;
    cuMemsetD2D16_v2 / cuMemsetD2D16_v2_ptds(
        address: u64, pitch: usize, value: u16, width: usize, rows: usize
    ) => fill::rows_of_halves;
    cuMemsetD2D32_v2 / cuMemsetD2D32_v2_ptds(
        address: u64, pitch: usize, value: u32, width: usize, rows: usize
    ) => fill::rows_of_words;
    cuMemsetD2D8Async / cuMemsetD2D8Async_ptsz(
        address: u64, pitch: usize, value: u8, width: usize, rows: usize, stream: Handle<Stream>
    ) => fill::rows_of_bytes_async;
    cuMemsetD2D16Async / cuMemsetD2D16Async_ptsz(
        address: u64, pitch: usize, value: u16, width: usize, rows: usize, stream: Handle<Stream>
    ) => fill::rows_of_halves_async;
    cuMemsetD2D32Async / cuMemsetD2D32Async_ptsz(
        address: u64, pitch: usize, value: u32, width: usize, rows: usize, stream: Handle<Stream>
    ) => fill::rows_of_words_async;

    // Modules and functions.
    cuModuleLoad(module: Out<Handle<Module>>, name: Text) => module::load_file;
    cuModuleLoadData(module: Out<Handle<Module>>, image: Text) => module::load;
    cuModuleLoadDataEx(
        module: Out<Handle<Module>>, image: Text, count: u32, options: In<i32>,
        values: Out<HostPointer>
    ) => module::load_with_options;
    cuLinkCreate_v2(
        count: u32, options: In<i32>, values: Out<HostPointer>, linker: Out<Handle<Linker>>
    ) => link::create;
    cuLinkAddData_v2(
        linker: Handle<Linker>, kind: i32, data: HostPointer, bytes: usize, name: Text,
        count: u32, options: In<i32>, values: Out<HostPointer>
    ) => link::add_data;
    cuLinkAddFile_v2(
        linker: Handle<Linker>, kind: i32, path: Text, count: u32, options: In<i32>,
        values: Out<HostPointer>
    ) => link::add_file;
    cuLinkComplete(linker: Handle<Linker>, image: Out<*const c_char>, bytes: Out<usize>)
        => link::complete;
    cuLinkDestroy(linker: Handle<Linker>) => link::destroy;
    cuModuleUnload(module: Handle<Module>) => module::unload;
    cuModuleGetFunction(function: Out<Handle<Function>>, module: Handle<Module>, name: Text)
        => module::function;
    cuModuleGetGlobal_v2(address: Out<u64>, bytes: Out<usize>, module: Handle<Module>, name: Text)
        => module::global;
    cuModuleGetFunctionCount(count: Out<u32>, module: Handle<Module>) => module::function_count;
    cuModuleEnumerateFunctions(functions: Out<Handle<Function>>, room: u32, module: Handle<Module>)
        => module::functions;
    cuLibraryLoadData(
        library: Out<Handle<Library>>, image: Text, options: In<i32>, values: Out<HostPointer>,
        count: u32, library_options: In<i32>, library_values: HostPointer, library_count: u32
    ) => library::load;
    cuLibraryLoadFromFile(
        library: Out<Handle<Library>>, name: Text, options: In<i32>, values: Out<HostPointer>,
        count: u32, library_options: In<i32>, library_values: HostPointer, library_count: u32
    ) => library::load_file;
    cuLibraryUnload(library: Handle<Library>) => library::unload;
    cuLibraryGetKernel(kernel: Out<Handle<LibraryKernel>>, library: Handle<Library>, name: Text)
        => library::kernel;
    cuLibraryGetKernelCount(count: Out<u32>, library: Handle<Library>) => library::kernel_count;
    cuLibraryEnumerateKernels(
        kernels: Out<Handle<LibraryKernel>>, room: u32, library: Handle<Library>
    ) => library::kernels;
    cuLibraryGetModule(module: Out<Handle<Module>>, library: Handle<Library>) => library::module;
    cuLibraryGetGlobal(address: Out<u64>, bytes: Out<usize>, library: Handle<Library>, name: Text)
        => library::global;
    cuKernelGetFunction(function: Out<Handle<Function>>, kernel: Handle<LibraryKernel>)
        => library::function_of;
    cuKernelGetLibrary(library: Out<Handle<Library>>, kernel: Handle<LibraryKernel>)
        => library::library_of;
    cuKernelGetName(name: Out<*const c_char>, kernel: Handle<LibraryKernel>)
        => library::kernel_name;
    cuKernelGetAttribute(
        value: Out<i32>, attribute: i32, kernel: Handle<LibraryKernel>, device: i32
    ) => library::attribute;
    cuKernelSetAttribute(
        attribute: i32, value: i32, kernel: Handle<LibraryKernel>, device: i32
    ) => library::set_attribute;
    cuKernelSetCacheConfig(kernel: Handle<LibraryKernel>, config: i32, device: i32)
        => library::set_cache;
    cuKernelGetParamInfo(
        kernel: Handle<LibraryKernel>, index: usize, offset: Out<usize>, bytes: Out<usize>
    ) => library::parameter;
    cuFuncGetParamInfo(
        function: Handle<Function>, index: usize, offset: Out<usize>, bytes: Out<usize>
    ) => function::parameter;
    cuFuncGetAttribute(value: Out<i32>, attribute: i32, function: Handle<Function>)
        => function::attribute;
    cuFuncSetAttribute(function: Handle<Function>, attribute: i32, value: i32)
        => function::set_attribute;
    cuFuncSetCacheConfig(function: Handle<Function>, config: i32) => function::set_cache;
    cuFuncSetSharedMemConfig(function: Handle<Function>, config: i32)
        => function::set_shared_bank;
    cuFuncGetModule(module: Out<Handle<Module>>, function: Handle<Function>) => function::module;
    cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<i32>, function: Handle<Function>, threads: i32, shared_bytes: usize
    ) => occupancy::max_active_blocks;
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>, function: Handle<Function>, threads: i32, shared_bytes: usize, flags: u32
    ) => occupancy::max_active_blocks_with_flags;
    cuOccupancyMaxPotentialBlockSize(
        grid: Out<i32>, block: Out<i32>, function: Handle<Function>,
        shared_bytes_of: BlockSizeToShared, shared_bytes: usize, limit: i32
    ) => occupancy::best_block;
    cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: Out<i32>, block: Out<i32>, function: Handle<Function>,
        shared_bytes_of: BlockSizeToShared, shared_bytes: usize, limit: i32, flags: u32
    ) => occupancy::best_block_with_flags;
    cuOccupancyAvailableDynamicSMemPerBlock(
        bytes: Out<usize>, function: Handle<Function>, blocks: i32, threads: i32
    ) => occupancy::available_dynamic_shared;
    cuFuncSetBlockShape(function: Handle<Function>, x: i32, y: i32, z: i32)
        => setup::set_block_shape;
    cuFuncSetSharedSize(function: Handle<Function>, bytes: u32) => setup::set_shared_bytes;
    cuParamSetSize(function: Handle<Function>, bytes: u32) => setup::set_parameter_bytes;
    cuParamSeti(function: Handle<Function>, offset: i32, value: u32) => setup::set_integer;
    cuParamSetf(function: Handle<Function>, offset: i32, value: f32) => setup::set_float;
    cuParamSetv(function: Handle<Function>, offset: i32, from: HostPointer, bytes: u32)
        => setup::set_vector;
    cuLaunch(function: Handle<Function>) => setup::launch_block;
    cuLaunchGrid(function: Handle<Function>, width: i32, height: i32) => setup::launch_grid;
    cuLaunchGridAsync(
        function: Handle<Function>, width: i32, height: i32, stream: Handle<Stream>
    ) => setup::launch_grid_async;
    cuLaunchKernel / cuLaunchKernel_ptsz(
        function: Handle<Function>, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32,
        block_y: u32, block_z: u32, shared_bytes: u32, stream: Handle<Stream>,
        parameters: In<HostPointer>, list: In<HostPointer>
    ) => launch::kernel;
    cuLaunchKernelEx / cuLaunchKernelEx_ptsz(
        config: In<launch::Config>, function: Handle<Function>, parameters: In<HostPointer>,
        list: In<HostPointer>
    ) => launch::kernel_with_attributes;
    cuLaunchCooperativeKernel / cuLaunchCooperativeKernel_ptsz(
        function: Handle<Function>, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32,
        block_y: u32, block_z: u32, shared_bytes: u32, stream: Handle<Stream>,
        parameters: In<HostPointer>
    ) => launch::cooperative_kernel;
    cuStreamAddCallback / cuStreamAddCallback_ptsz(
        stream: Handle<Stream>, function: StreamCallback, data: HostPointer, flags: u32
    ) => launch::callback;
    cuLaunchHostFunc / cuLaunchHostFunc_ptsz(stream: Handle<Stream>, function: HostFn, data: HostPointer)
        => launch::host_function;

    // Streams and events.
    cuStreamCreate(stream: Out<Handle<Stream>>, flags: u32) => stream::create;
    cuStreamCreateWithPriority(stream: Out<Handle<Stream>>, flags: u32, priority: i32)
        => stream::create_with_priority;
    cuStreamDestroy_v2(stream: Handle<Stream>) => stream::destroy;
    cuStreamDestroy(stream: Handle<Stream>) => stream::destroy;
    cuStreamSynchronize / cuStreamSynchronize_ptsz(stream: Handle<Stream>) => stream::synchronize, Synchronises;
    cuStreamQuery / cuStreamQuery_ptsz(stream: Handle<Stream>) => stream::query, Synchronises;
    cuStreamWaitEvent / cuStreamWaitEvent_ptsz(stream: Handle<Stream>, event: Handle<Event>, flags: u32)
        => event::stream_waits;
    cuStreamGetFlags / cuStreamGetFlags_ptsz(stream: Handle<Stream>, flags: Out<u32>) => stream::flags;
    cuStreamGetPriority / cuStreamGetPriority_ptsz(stream: Handle<Stream>, priority: Out<i32>) => stream::priority;
    cuStreamGetId / cuStreamGetId_ptsz(stream: Handle<Stream>, id: Out<u64>) => stream::id;
    cuStreamGetCtx / cuStreamGetCtx_ptsz(stream: Handle<Stream>, context: Out<Handle<Context>>) => stream::context;
    cuEventCreate(event: Out<Handle<Event>>, flags: u32) => event::create;
    cuEventDestroy_v2(event: Handle<Event>) => event::destroy;
    cuEventDestroy(event: Handle<Event>) => event::destroy;
    cuEventRecord / cuEventRecord_ptsz(event: Handle<Event>, stream: Handle<Stream>) => event::record;
    cuEventRecordWithFlags / cuEventRecordWithFlags_ptsz(event: Handle<Event>, stream: Handle<Stream>, flags: u32)
        => event::record_with_flags;
    cuEventSynchronize(event: Handle<Event>) => event::synchronize, Synchronises;
    cuEventQuery(event: Handle<Event>) => event::query, Synchronises;
    cuEventElapsedTime_v2(milliseconds: Out<f32>, start: Handle<Event>, end: Handle<Event>)
        => event::elapsed;
    cuEventElapsedTime(milliseconds: Out<f32>, start: Handle<Event>, end: Handle<Event>)
        => event::elapsed;

    // Captures and graphs.
    cuStreamBeginCapture_v2 / cuStreamBeginCapture_v2_ptsz(stream: Handle<Stream>, mode: i32) => capture::begin;
    cuStreamEndCapture / cuStreamEndCapture_ptsz(stream: Handle<Stream>, graph: Out<Handle<Graph>>) => capture::end;
    cuStreamIsCapturing / cuStreamIsCapturing_ptsz(stream: Handle<Stream>, status: Out<i32>) => capture::status;
    cuStreamGetCaptureInfo / cuStreamGetCaptureInfo_ptsz(stream: Handle<Stream>, status: Out<i32>, id: Out<u64>)
        => capture::info;
    cuStreamGetCaptureInfo_v2 / cuStreamGetCaptureInfo_v2_ptsz(
        stream: Handle<Stream>, status: Out<i32>, id: Out<u64>, graph: Out<Handle<Graph>>,
        after: Out<HostPointer>, after_count: Out<usize>
    ) => capture::info_with_graph;
    cuStreamGetCaptureInfo_v3 / cuStreamGetCaptureInfo_v3_ptsz(
        stream: Handle<Stream>, status: Out<i32>, id: Out<u64>, graph: Out<Handle<Graph>>,
        after: Out<HostPointer>, edges: Out<HostPointer>, after_count: Out<usize>
    ) => capture::info_with_edges;
    cuThreadExchangeStreamCaptureMode(mode: Out<i32>) => capture::exchange_thread_mode;
    cuGraphInstantiateWithFlags(
        executable: Out<Handle<ExecutableGraph>>, graph: Handle<Graph>, flags: u64
    ) => graph::instantiate;
    cuGraphInstantiate_v2(
        executable: Out<Handle<ExecutableGraph>>, graph: Handle<Graph>,
        error_node: Out<Handle<NodeName>>, log: Out<c_char>, log_bytes: usize
    ) => graph::instantiate_with_log;
    cuGraphLaunch / cuGraphLaunch_ptsz(executable: Handle<ExecutableGraph>, stream: Handle<Stream>) => graph::launch;
    cuGraphDestroy(graph: Handle<Graph>) => graph::destroy;
    cuGraphExecDestroy(executable: Handle<ExecutableGraph>) => graph::destroy_executable;
    cuGraphGetNodes(graph: Handle<Graph>, nodes: Out<Handle<NodeName>>, count: Out<usize>)
        => graph::nodes;
    cuGraphGetEdges(
        graph: Handle<Graph>, from: Out<Handle<NodeName>>, to: Out<Handle<NodeName>>,
        count: Out<usize>
    ) => graph::edges;
    cuGraphNodeGetType(node: Handle<NodeName>, node_type: Out<i32>) => graph::node_type;
    cuUserObjectCreate(
        object: Out<Handle<UserObject>>, data: HostPointer, destructor: HostFn, references: u32,
        flags: u32
    ) => user_object::create;
    cuUserObjectRetain(object: Handle<UserObject>, count: u32) => user_object::retain;
    cuUserObjectRelease(object: Handle<UserObject>, count: u32) => user_object::release;
    cuGraphRetainUserObject(
        graph: Handle<Graph>, object: Handle<UserObject>, count: u32, flags: u32
    ) => user_object::retain_for_graph;
    cuGraphReleaseUserObject(graph: Handle<Graph>, object: Handle<UserObject>, count: u32)
        => user_object::release_for_graph;
}
