//! The table that a benchmark prints.

/// One figure.
pub(crate) struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    bound: Option<f64>,
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { what: what.into(), value, unit, bound: None }
    }

    pub(crate) fn at_most(self, bound: f64) -> Self {
        Self { bound: Some(bound), ..self }
    }

    pub(crate) fn is_far_off(&self) -> bool {
        self.bound.is_some_and(|bound| self.value > 2.0 * bound)
    }
}

pub(crate) fn print(rows: &[Row]) {
    println!("{:<64} {:>12} {:<12} {:>9}", "figure (median)", "value", "unit", "bound");
    for row in rows {
        let bound = row.bound.map_or_else(String::new, |bound| format!("{bound}"));
        let mark = match row.bound {
            Some(bound) if row.value > 2.0 * bound => " far off",
            Some(bound) if row.value > bound => " over",
            _ => "",
        };
        println!("{:<64} {:>12.3} {:<12} {:>9}{mark}", row.what, row.value, row.unit, bound);
    }
}

/// The middle of some measurements.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
