/**
 * Distributed training as one statement, whatever runs it.
 */
export { DistributedTraining, type DistributedTrainingProps } from './distributed-training';
export { FabricTest, type FabricCollective, type FabricDomain, type FabricTestProps } from './fabric-test';
export { type TrainingFramework, type TrainingStatement } from './statement';
export { type TopologyLevel, TrainingTopology } from './topology';
export { type EngineOptions, type RayJobEngineOptions, TrainingEngine, type TrainingWorkload } from './training-engine';
