//! Machines without a device or with an older device, and wrong settings. A process chooses its device once, so each test has a process of
//! its own.

use std::env;

use cust::memory::DeviceBuffer;
use virtual_gpu::Mode;
use virtual_gpu::driver::Code;
use virtual_gpu::inject::{Calls, Failure, Moment, fail};
use warpfold::{Cpu, DriverCode, Error, Gpu, Sum, cust, gpu_sum, reduce, scan};

use crate::child::in_child;
use crate::common::mode;

/// No virtual device, and no visible real one.
const NO_DEVICE: [(&str, &str); 2] = [("VIRTUAL_GPU", "off"), ("CUDA_VISIBLE_DEVICES", "-1")];

#[test]
fn without_a_device_the_error_says_what_to_do() {
    in_child(
        "machine::without_a_device_the_error_says_what_to_do",
        &NO_DEVICE,
        || {
            for _ in 0..2 {
                let error = Gpu::global().unwrap_err();
                assert!(
                    matches!(
                        error,
                        Error::NoDevice {
                            call: "cuInit",
                            code: DriverCode(100),
                            ..
                        }
                    ),
                    "{error:?}"
                );
                let text = error.to_string();
                for part in [
                    "100 (CUDA_ERROR_NO_DEVICE)",
                    "libcuda.so.1",
                    "nvidia-smi",
                    "VIRTUAL_GPU=on",
                ] {
                    assert!(text.contains(part), "{text}");
                }
                assert_eq!(gpu_sum(&[1.0f32]), Err(error));
            }
            // An empty slice needs no device.
            assert_eq!(gpu_sum::<f32>(&[]), Ok(0.0));
        },
    );
}

#[test]
fn an_unknown_setting_is_an_error() {
    let test = "machine::an_unknown_setting_is_an_error";
    for (variable, value, reason) in [
        (
            "VIRTUAL_GPU",
            "ON",
            "VIRTUAL_GPU=\"ON\" is not on, off or auto",
        ),
        (
            "VIRTUAL_GPU_STEP",
            "9",
            "there is no setting VIRTUAL_GPU_STEP: did you mean VIRTUAL_GPU_STEPS?",
        ),
    ] {
        in_child(
            test,
            &[(variable, value), ("EXPECTED_REASON", reason)],
            || {
                let reason = env::var("EXPECTED_REASON").unwrap();
                let error = Gpu::new().unwrap_err();
                // The library did not look for a device, so the message is about the setting alone.
                assert_eq!(
                    error.to_string(),
                    format!("the settings of the virtual GPU are wrong: {reason}")
                );
                assert_eq!(error, Error::Settings { reason });
                assert_eq!(gpu_sum(&[1.0f32]), Err(error));
            },
        );
    }
}

#[test]
fn every_generation_gives_the_same_bits() {
    let test = "machine::every_generation_gives_the_same_bits";
    for (generation, multiprocessors) in [("sm_70", "2"), ("sm_80", "3"), ("sm_89", "16")] {
        let variables = [
            ("VIRTUAL_GPU", "on"),
            ("VIRTUAL_GPU_ARCH", generation),
            ("VIRTUAL_GPU_SMS", multiprocessors),
        ];
        in_child(test, &variables, || {
            let gpu = Gpu::new().unwrap();
            assert_eq!(mode(), Mode::Virtual);
            let (major, minor) = gpu.compute_capability();
            assert_eq!(
                Ok(format!("sm_{major}{minor}")),
                env::var("VIRTUAL_GPU_ARCH")
            );
            assert_eq!(
                Ok(gpu.multiprocessors().to_string()),
                env::var("VIRTUAL_GPU_SMS")
            );

            gpu.make_current().unwrap();
            let items: Vec<f32> = (0..300_001)
                .map(|index| 1.0 / index as f32 - 1e-5)
                .collect();
            let items = &items[1..];
            let mut data = DeviceBuffer::from_slice(items).unwrap();
            let sum = reduce::<Sum, _>(&data).wait(&gpu).unwrap();
            assert_eq!(
                sum.to_bits(),
                reduce::<Sum, _>(items).wait(Cpu).unwrap().to_bits()
            );
            scan::<Sum, _>(&mut data).in_place().wait(&gpu).unwrap();
            assert!(data.as_host_vec().unwrap() == scan::<Sum, _>(items).wait(Cpu).unwrap());
        });
    }
}

#[test]
fn the_global_gpu_is_tried_again_after_a_failure() {
    in_child(
        "machine::the_global_gpu_is_tried_again_after_a_failure",
        &[],
        || {
            let out_of_memory = Failure {
                calls: Calls::Named("cuDevicePrimaryCtxRetain"),
                nth: 1,
                code: Code(2),
                moment: Moment::Before,
            };
            let armed = fail(out_of_memory);
            let failed = Error::Driver {
                call: "cuDevicePrimaryCtxRetain",
                code: DriverCode(2),
            };
            assert_eq!(gpu_sum(&[1.0f32, 2.0]), Err(failed));
            drop(armed);
            assert_eq!(gpu_sum(&[1.0f32, 2.0]), Ok(3.0));
        },
    );
}
