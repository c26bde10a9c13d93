/**
 * Messages of NCCL, CUDA, and PyTorch in the logs of training jobs.
 */
import { type KnownMessage, messagesOf } from './known-message';

export const TRAINING_MESSAGES: readonly KnownMessage[] = [
  ...messagesOf('NVIDIA/nccl', [
    {
      id: 'nccl/shared-memory',
      file: 'src/misc/shmutils.cc at 136405b5',
      format: 'Error while %s shared memory segment %s (size %ld), error: %s (%d)',
      matches: ['Error while creating shared memory segment', 'Error while attaching to shared memory segment'],
      cause: '/dev/shm of the container is too small: it has 64 MiB unless a volume is mounted there.',
      verify: 'df -h /dev/shm in the container',
      remedy: 'Mount an emptyDir with medium Memory at /dev/shm, and count its size into the memory limit.',
    },
    {
      id: 'nccl/no-interface',
      file: 'src/bootstrap.cc at 7aa1c46f',
      format: 'Bootstrap : no socket interface found',
      cause: 'NCCL_SOCKET_IFNAME names no interface of the pod.',
      verify: 'ip addr in the container; env | grep NCCL',
      remedy: 'Correct NCCL_SOCKET_IFNAME, or remove it.',
    },
    {
      id: 'nccl/register-memory',
      file: 'src/misc/ibvwrap.cc at f9835511',
      format: 'Call to ibv_reg_mr failed with error %w',
      cause: 'The container may not lock memory for RDMA, or the GPU peer memory module is missing.',
      verify: 'ulimit -l in the container; lsmod on the node: nvidia_peermem',
      remedy:
        'Add the capability IPC_LOCK, raise the memlock limit of the runtime, and load nvidia_peermem or use DMA-BUF.',
    },
  ]),
  ...messagesOf('pytorch/pytorch', [
    {
      id: 'pytorch/collective-timeout',
      file: 'torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp at cf1380df',
      format: 'Watchdog caught collective operation timeout: %w',
      cause: 'A rank did not take part in a collective operation in time: it crashed, is slow, or cannot be reached.',
      verify: 'the log of every rank: the first one that stopped; dmesg on its node: NVRM: Xid',
      remedy: 'Look at the rank that is missing. Check RDMA between the nodes with nccl-tests.',
    },
    {
      id: 'pytorch/data-loader',
      file: 'torch/utils/data/_utils/signal_handling.py at cebe1d0e',
      format: 'DataLoader worker (pid %d) is killed by signal: %w',
      cause: 'A loader process ended, because it had too little shared memory (Bus error) or memory (Killed).',
      verify: 'df -h /dev/shm in the container; kubectl get pod POD -o yaml: limits.memory',
      remedy: 'Mount an emptyDir with medium Memory at /dev/shm, raise the memory limit, or use fewer workers.',
    },
    {
      id: 'pytorch/out-of-memory',
      file: 'c10/cuda/CUDACachingAllocator.cpp',
      format: 'CUDA out of memory.',
      cause: 'The model, its optimizer, and the batch do not fit the memory of the GPU, or another process uses it.',
      verify: 'nvidia-smi on the node: processes and memory',
      remedy: 'Use a smaller batch, activation checkpointing, or sharding; or a GPU with more memory.',
    },
  ]),
  ...messagesOf('CUDA runtime API', [
    {
      id: 'cuda/no-kernel',
      file: 'cudaErrorNoKernelImageForDevice',
      format: 'no kernel image is available for execution on the device',
      cause: 'The program was not compiled for the architecture of the GPU.',
      verify: 'nvidia-smi --query-gpu=compute_cap --format=csv; torch.cuda.get_arch_list()',
      remedy: 'Use a build for the GPU (PyTorch with CUDA 12.8 or later for Blackwell), or select other nodes.',
    },
    {
      id: 'cuda/driver-too-old',
      file: 'cudaErrorInsufficientDriver',
      format: 'CUDA driver version is insufficient for CUDA runtime version',
      cause: 'The driver of the node is older than the CUDA version of the image requires.',
      verify: 'nvidia-smi on the node: CUDA Version',
      remedy: 'Upgrade the driver, or use an image for an older CUDA version.',
    },
  ]),
];
