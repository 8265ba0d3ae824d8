//! Requests along an axis, or with a pitch. Rows without gaps are handled as segments, all other parts as columns.

use super::reduce::{groups_of_host, groups_of_host_to};
use super::scan::{grouped, grouped_to};
use super::{QueuedReduce, QueuedScan, ReduceEnd, ScanEnd};
use crate::arguments::{Arguments, Memory};
use crate::call::{self, Along, Made, Verb};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, kind};
use crate::request::Written;
use crate::request::memory::{OnTheDevice, OnTheHost, Replaceable, Returned};
use crate::request::shape::{Axis, Order, Pitched};

fn reduction<O, T: Item>() -> Verb
where
    O: Kernel<kind::segmented_reduce, T> + Kernel<kind::columns_reduce, T>,
{
    Verb::Along(Along {
        segments: <O as Kernel<kind::segmented_reduce, T>>::row(),
        columns: <O as Kernel<kind::columns_reduce, T>>::row(),
        made: Made::Reduction,
    })
}

fn scan<O, T: Item, D: Order>() -> Verb
where
    O: Kernel<kind::segmented_scan, T> + Kernel<kind::columns_scan, T>,
{
    Verb::Along(Along {
        segments: <O as Kernel<kind::segmented_scan, T>>::row(),
        columns: <O as Kernel<kind::columns_scan, T>>::row(),
        made: Made::Scan(D::ORDER),
    })
}

macro_rules! reductions {
    ($shape:ident) => {
        #[allow(private_interfaces)]
        impl<O, T: Item> QueuedReduce<O, T> for (OnTheDevice, $shape, Written)
        where
            O: Kernel<kind::segmented_reduce, T> + Kernel<kind::columns_reduce, T>,
        {
            fn verb() -> Result<Verb> {
                Ok(reduction::<O, T>())
            }
        }

        #[allow(private_interfaces)]
        impl<O, T: Item> ReduceEnd<O, T> for (OnTheDevice, $shape, Written)
        where
            O: Kernel<kind::segmented_reduce, T> + Kernel<kind::columns_reduce, T>,
        {
            type Given = ();

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
                call::wait(gpu, reduction::<O, T>(), arguments).map(drop)
            }
        }

        #[allow(private_interfaces)]
        impl<O, T: Item> ReduceEnd<O, T> for (OnTheHost, $shape, Returned)
        where
            O: Kernel<kind::segmented_reduce, T> + Kernel<kind::columns_reduce, T>,
        {
            type Given = Vec<O::Output>;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<O::Output>> {
                groups_of_host::<O, T>(gpu, reduction::<O, T>(), &arguments)
            }
        }

        #[allow(private_interfaces)]
        impl<O, T: Item> ReduceEnd<O, T> for (OnTheHost, $shape, Written)
        where
            O: Kernel<kind::segmented_reduce, T> + Kernel<kind::columns_reduce, T>,
        {
            type Given = ();

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
                groups_of_host_to::<O, T>(gpu, reduction::<O, T>(), arguments)
            }
        }
    };
}

reductions!(Axis);
reductions!(Pitched);

macro_rules! scans {
    ($shape:ident) => {
        scans!($shape, Returned);
        scans!($shape, Replaceable);

        #[allow(private_interfaces)]
        impl<O, T: Item, D: Order> QueuedScan<O, T> for (OnTheDevice, $shape, D, Written)
        where
            O: Kernel<kind::segmented_scan, T> + Kernel<kind::columns_scan, T>,
        {
            fn verb() -> Result<Verb> {
                Ok(scan::<O, T, D>())
            }
        }

        #[allow(private_interfaces)]
        impl<O, T: Item, D: Order> ScanEnd<O, T> for (OnTheDevice, $shape, D, Written)
        where
            O: Kernel<kind::segmented_scan, T> + Kernel<kind::columns_scan, T>,
        {
            type Given = ();

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
                call::wait(gpu, scan::<O, T, D>(), arguments).map(drop)
            }
        }

        #[allow(private_interfaces)]
        impl<O, T: Item, D: Order> ScanEnd<O, T> for (OnTheHost, $shape, D, Written)
        where
            O: Kernel<kind::segmented_scan, T> + Kernel<kind::columns_scan, T>,
        {
            type Given = ();

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
                grouped_to(gpu, scan::<O, T, D>(), arguments)
            }
        }
    };
    ($shape:ident, $returned:ident) => {
        #[allow(private_interfaces)]
        impl<O, T: Item, D: Order> ScanEnd<O, T> for (OnTheHost, $shape, D, $returned)
        where
            O: Kernel<kind::segmented_scan, T> + Kernel<kind::columns_scan, T>,
        {
            type Given = Vec<O::Output>;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<O::Output>> {
                grouped(gpu, scan::<O, T, D>(), arguments)
            }
        }
    };
}

scans!(Axis);
scans!(Pitched);
